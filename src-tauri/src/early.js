// Runs before the page does: what it asks first is on its way while it is loaded. `ui/src/host/tauri.ts` takes the
// answers; `ui/src/test/early.test.ts` holds that these are the questions it asks.
(() => {
  const answers = new Map();
  const ask = (command, params) => window.__TAURI_INTERNALS__.invoke('rpc', { command, params });
  const early = (command, params, after) => {
    const answer = after.then(() => ask(command, params));
    answers.set(JSON.stringify([command, params]), answer);
    // Whoever takes it sees what went wrong.
    answer.catch(() => {});
    return answer;
  };
  const state = early('app.state', {}, Promise.resolve());
  // Events are followed from the state on: what came before it must be in the list.
  early('deliveries.list', { filter: '', limit: 100, before: null, offset: 0, quick: false }, state);
  window.hooktwiceEarly = answers;
})();
