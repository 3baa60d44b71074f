import type { AppState } from '$bindings/AppState';
import type { TunnelPreset } from '$bindings/TunnelPreset';
import type { TunnelState } from '$bindings/TunnelState';

/** The tunnels that are known, with what a person has to know of each. */
export const TUNNELS: readonly { value: TunnelPreset; label: string; about: string }[] = [
  {
    value: 'cloudflared',
    label: 'cloudflared (quick tunnel)',
    about: 'Cloudflare’s; no account is needed, and each start has another URL.',
  },
  {
    value: 'ngrok',
    label: 'ngrok',
    about: 'An account and its token are needed, set once with ngrok itself.',
  },
  { value: 'bore', label: 'bore', about: 'Plain HTTP through bore.pub or a server of your own.' },
  {
    value: 'localhost-run',
    label: 'ssh to localhost.run',
    about: 'Needs ssh only; each start has another URL.',
  },
  { value: 'serveo', label: 'ssh to serveo.net', about: 'Needs ssh only.' },
  { value: 'ssh', label: 'ssh to a host of your own', about: 'The host has to allow it (GatewayPorts).' },
  { value: 'command', label: 'A command of your own', about: 'Anything that writes its public URL.' },
];

/** A tunnel's short name. */
export function tunnelName(preset: TunnelPreset): string {
  return preset === 'command' ? 'your command' : preset;
}

/** The public URL with the handler's path and query, ready to be pasted as `webhook_url`; nothing where there is none. */
export function webhookUrl({ tunnel, settings }: Pick<AppState, 'tunnel' | 'settings'>): string | undefined {
  if (!('url' in tunnel)) return undefined;
  const { path } = settings.tunnel;
  const base = tunnel.url.replace(/\/+$/, '');
  return path === '' ? base : `${base}${/^[/?]/.test(path) ? '' : '/'}${path}`;
}

/** What a tunnel's state is called. */
export const WORDS: Readonly<Record<TunnelState['state'], string>> = {
  off: 'off',
  starting: 'starting',
  proving: 'proving',
  live: 'live',
  waiting: 'waiting',
  failed: 'failed',
};
