// Before all else: what is asked there is answered while the rest is read.
import { first, host } from './first';
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import '$ui/tokens.css';
import '$ui/base.css';
import type { First } from '$bindings/First';
import { Session } from '$host/session.svelte';
import { startTheme, tellGround } from '$lib/theme.svelte';
import { loadLater } from '$ui/later.svelte';
import { mount } from 'svelte';
import App from './App.svelte';
import { Route } from './route.svelte';

/** How long the first picture waits for the first answer, in milliseconds; after it what is waited for is said. */
const PATIENCE_MS = 200;
/** When what no first picture needs is loaded and told, after it, in milliseconds. */
const LATER_MS = 500;

/** The next picture is made; one that nobody sees is not waited for. */
function painted(): Promise<void> {
  return new Promise((done) => {
    const soon = () => void setTimeout(done);
    if (document.hidden) soon();
    else requestAnimationFrame(soon);
  });
}

function show(first: First | undefined): void {
  const session = new Session(host, first);
  const target = document.getElementById('app');
  if (target) mount(App, { target, props: { session, route: new Route() } });
  // What it asks for is no part of the first picture, and would take its time from that.
  void painted().then(() => session.start());
  setTimeout(() => {
    void loadLater();
    if (host.background) tellGround(host.background);
  }, LATER_MS);
}

startTheme();
if (first instanceof Promise) {
  const patience = new Promise<undefined>((done) => setTimeout(done, PATIENCE_MS));
  // One picture with the answer in it is there sooner than an empty one and its changes.
  void Promise.race([first, patience]).then(show);
} else {
  show(first);
}
