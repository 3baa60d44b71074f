/** A colour with a meaning. It never stands without a word that says the same. */
export type Tone = 'won' | 'dup' | 'bad' | 'off' | 'accent';
