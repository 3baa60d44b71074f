import type { TunnelPreset } from '$bindings/TunnelPreset';
import { rules, type Section } from './sections';

export type TunnelDraft = {
  preset: TunnelPreset;
  server: string;
  command: string;
  pattern: string;
  path: string;
  autostart: boolean;
};

export const tunnelSection: Section<TunnelDraft> = {
  read: ({ tunnel }) => ({ ...tunnel }),
  check: ({ preset, server, command, pattern, path }) =>
    rules<TunnelDraft>(
      ['server', preset !== 'ssh' || server.trim() !== '', 'The host, as me@host.example.'],
      ['command', preset !== 'command' || command.trim() !== '', 'A command, as tunnel --port {port}.'],
      [
        'pattern',
        preset !== 'command' || pattern.trim() !== '',
        'A regular expression that finds the URL in what the command writes.',
      ],
      ['path', path === '' || /^[/?]/.test(path), 'It begins with /, as /webhooks/sume.'],
    ),
  apply: (settings, { server, path, ...draft }) => ({
    ...settings,
    tunnel: { ...draft, server: server.trim(), path: path.trim() },
  }),
};
