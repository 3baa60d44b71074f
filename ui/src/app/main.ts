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
const session = new Session(await chooseHost());
const target = document.getElementById('app');
if (target) mount(App, { target, props: { session } });
void session.start();
