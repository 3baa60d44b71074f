// Any key is answered with something that can be seen.
addEventListener('keydown', () => {
  document.body.style.background = 'silver';
});
