import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { HighlightStyle, bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { forceLinting, linter, type Diagnostic } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import {
  EditorView,
  drawSelection,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder as emptyText,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { LARGE, separatorOf } from '$lib/body';

export const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--won)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--dup)' },
  { tag: tags.punctuation, color: 'var(--muted)' },
]);

export const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', fontVariantLigatures: 'none' },
  '.cm-content': { caretColor: 'var(--text)', padding: '6px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 6px 0 8px', minWidth: '26px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '.cm-matchingBracket, .cm-nonmatchingBracket': { backgroundColor: 'transparent !important' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-weak) !important' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-placeholder': { color: 'var(--faint)' },
  '.cm-tooltip': {
    background: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
  },
  '.cm-diagnostic': { fontFamily: 'var(--font)', padding: '4px 10px' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
});

export type EditorOptions = {
  /** In a shadow root, where the editor's styles are sheets: a policy without inline styles lets them be. */
  root: ShadowRoot;
  text: string;
  label: string;
  testid: string;
  /** Stands where the text is empty. */
  placeholder: string;
  onchange: (text: string) => void;
  /** Where the JSON breaks, or nothing. */
  onfault: (message: string | undefined) => void;
};

/** An editor for JSON that gives back every character that it was given (C07). */
export function openEditor(options: EditorOptions): EditorView {
  const { root, text, label, testid, placeholder, onchange, onfault } = options;
  const separator = separatorOf(text);
  const check = jsonParseLinter();
  const lint = (view: EditorView): Diagnostic[] => {
    // An empty body is none, and a very long one would be parsed at every pause.
    const { length } = view.state.doc;
    const faults = length === 0 || length > LARGE ? [] : check(view);
    const marked = view.state.sliceDoc(0, 1) === '\uFEFF';
    onfault(marked && faults[0] ? 'it begins with a byte order mark' : faults[0]?.message);
    return faults;
  };
  const state = EditorState.create({
    doc: text,
    extensions: [
      EditorState.lineSeparator.of(separator),
      // What is pasted ends its lines as the text around it does.
      EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?|\n/g, separator)),
      EditorState.tabSize.of(2),
      lineNumbers(),
      history(),
      drawSelection(),
      bracketMatching(),
      highlightSpecialChars(),
      json(),
      syntaxHighlighting(colours),
      linter(lint, { delay: 300 }),
      emptyText(placeholder),
      // Without Mod-Enter, which fires, and without Tab, which leads on.
      keymap.of([...standardKeymap, ...historyKeymap]),
      EditorView.lineWrapping,
      // A tab stop of its own, so that what scrolls is known to be reached from the keyboard.
      EditorView.contentAttributes.of({ 'aria-label': label, 'data-testid': testid, tabindex: '0' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onchange(update.state.sliceDoc());
      }),
      look,
    ],
  });
  const view = new EditorView({ state, parent: root, root });
  forceLinting(view);
  return view;
}
