import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import '$ui/tokens.css';
import '$ui/base.css';
import { askAhead } from '$features/inbox/question';
import { Ahead } from '$host/ahead';
import { chooseHost } from '$host/choose';
import { COUNTS, Session } from '$host/session.svelte';
import { startTheme } from '$lib/theme.svelte';
import { loadLater } from '$ui/later.svelte';
import { mount } from 'svelte';
import App from './App.svelte';
import { Route } from './route.svelte';

/** How long the first picture waits for the first answers, in milliseconds; after it what is waited for is said. */
const PATIENCE_MS = 200;
/** When what no first picture needs is loaded, after it, in milliseconds. */
const LATER_MS = 500;

/** The next picture is made; one that nobody sees is not waited for. */
function painted(): Promise<void> {
  return new Promise((done) => {
    const soon = () => void setTimeout(done);
    if (document.hidden) soon();
    else requestAnimationFrame(soon);
  });
}

const host = chooseHost();
const ahead = new Ahead(host);
// Before anything else is done. What fails is asked for once more, and told, where it is shown.
const asked = Promise.allSettled([
  ahead.ask('app.state', {}),
  ahead.ask('deliveries.counts', COUNTS),
  ...askAhead(ahead),
]);
startTheme();
const route = new Route();
const patience = new Promise((done) => setTimeout(done, PATIENCE_MS));

// One picture with the answers in it is there sooner than an empty one and its changes.
void Promise.race([asked, patience]).then(() => {
  const session = new Session(host, ahead);
  const target = document.getElementById('app');
  if (target) mount(App, { target, props: { session, route } });
  // What it asks for is no part of the first picture, and would take its time from that.
  void painted().then(() => {
    void session.start();
    // Whoever comes later asks anew.
    ahead.forget();
  });
  setTimeout(() => void loadLater(), LATER_MS);
});
