import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import '$ui/tokens.css';
import '$ui/base.css';
import { chooseHost } from '$host/choose';
import { Session } from '$host/session.svelte';
import { startTheme } from '$lib/theme.svelte';
import { mount } from 'svelte';
import App from './App.svelte';

startTheme();
const session = new Session(chooseHost());
// First: what is asked for is on its way while the page is built.
void session.start();
const target = document.getElementById('app');
if (target) mount(App, { target, props: { session } });
