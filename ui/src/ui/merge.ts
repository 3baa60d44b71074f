import { standardKeymap } from '@codemirror/commands';
import { json as jsonLanguage } from '@codemirror/lang-json';
import { syntaxHighlighting } from '@codemirror/language';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { colours, look } from './editor';

const changed = (colour: string) => ({
  background: `color-mix(in srgb, var(${colour}) 24%, transparent)`,
  borderBottom: `1.5px solid var(${colour})`,
});

const marks = EditorView.theme({
  '.cm-mergeView &': { height: 'auto' },
  '.cm-content': { outline: 'none' },
  '&:focus-within': { boxShadow: 'inset 0 0 0 2px var(--accent)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--bad-weak)' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--won-weak)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': changed('--bad'),
  '&.cm-merge-b .cm-changedText': changed('--won'),
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--bad)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--won)' },
  // Colours of JSON on a coloured line would not be read by everybody.
  '.cm-changedLine span, .cm-deletedChunk span': { color: 'inherit' },
  '.cm-collapsedLines': {
    background: 'var(--off-weak)',
    color: 'var(--muted)',
    fontFamily: 'var(--font)',
    fontSize: '11.5px',
  },
});

export type MergeOptions = {
  /** In a shadow root, where its styles are sheets: a policy without inline styles lets them be. */
  root: ShadowRoot;
  texts: readonly [string, string];
  /** Their names, for a screen reader. */
  labels: readonly [string, string];
  /** One below the other, in one column. */
  unified: boolean;
  json: boolean;
  /** Folds long stretches that are the same. */
  fold: boolean;
};

/** Lays two texts beside each other, to be read only. Every character is as it was given. */
export function openMerge(options: MergeOptions): { destroy: () => void } {
  const { root, texts, labels, unified, json, fold } = options;
  const extensions = (label: string): Extension[] => [
    // A carriage return is a character of a line, and is seen.
    EditorState.lineSeparator.of('\n'),
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorState.tabSize.of(2),
    EditorView.contentAttributes.of({
      'aria-label': label,
      role: 'textbox',
      tabindex: '0',
      'aria-readonly': 'true',
    }),
    lineNumbers(),
    highlightSpecialChars(),
    EditorView.lineWrapping,
    ...(json ? [jsonLanguage(), syntaxHighlighting(colours)] : []),
    keymap.of(standardKeymap),
    look,
    marks,
  ];
  const shared = {
    gutter: true,
    highlightChanges: true,
    // What differs everywhere is marked line by line, not letter by letter.
    diffConfig: { scanLimit: 1000, timeout: 150 },
    ...(fold ? { collapseUnchanged: { margin: 2, minSize: 4 } } : {}),
  };
  const [first, second] = texts;
  if (!unified) {
    return new MergeView({
      ...shared,
      parent: root,
      root,
      a: { doc: first, extensions: extensions(labels[0]) },
      b: { doc: second, extensions: extensions(labels[1]) },
    });
  }
  const state = EditorState.create({
    doc: second,
    extensions: [
      unifiedMergeView({
        ...shared,
        original: lines(first),
        mergeControls: false,
        syntaxHighlightDeletions: false,
      }),
      extensions(`${labels[0]}, and ${labels[1]}`),
      EditorView.editorAttributes.of({ class: 'cm-merge-b' }),
    ],
  });
  return new EditorView({ state, parent: root, root });
}

function lines(text: string) {
  return EditorState.create({ doc: text, extensions: EditorState.lineSeparator.of('\n') }).doc;
}
