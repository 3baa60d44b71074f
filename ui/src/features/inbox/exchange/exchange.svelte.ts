import type { ExportFormat } from '$bindings/ExportFormat';
import type { ImportReport } from '$bindings/ImportReport';
import { HostError } from '$host/host';
import type { Session } from '$host/session.svelte';
import { concat, toBase64 } from '$lib/bytes';
import { chooseFile } from '$lib/files';
import { plural } from '$lib/format';
import { Remembered, oneOf } from '$lib/remembered.svelte';
import type { MenuItem } from '$ui/menu';

/** A part of a file on its way in, in bytes. */
const PART = 1024 * 1024;
/** So many deliveries are asked for at once; fewer come where they are large. */
const AT_ONCE = 500;
/** No larger file is made here, in bytes: it stands in memory until it is saved. */
export const LARGEST = 256 * 1024 * 1024;

/** What is to be exported. */
export type Asked = { seqs: readonly number[]; filter: string; title: string };

/** What an import came to. */
export type Imported = { name: string; report: ImportReport };

/** A file on its way, counted in bytes that are read or in deliveries that are exported. */
export class Way {
  done = $state(0);
  stopped = false;

  constructor(
    readonly verb: 'Read' | 'Exported',
    readonly total: number,
  ) {}
}

const ENDING: Record<ExportFormat, string> = { har: 'har', json: 'ndjson' };

/** Deliveries to and from files. */
export class Exchange {
  /** The question that is open. */
  asked = $state.raw<Asked>();
  readonly format = new Remembered<ExportFormat>('export.format', 'har', oneOf(['har', 'json']));
  /** Sensitive values go as they are. Asked anew each time. */
  reveal = $state(false);
  /** The file that is imported, which goes on whatever is asked meanwhile. */
  reading = $state.raw<Way>();
  /** The file that is exported, as long as its question is open. */
  writing = $state.raw<Way>();
  imported = $state.raw<Imported>();
  /** What failed, and why. */
  error = $state.raw<{ title: string; error: HostError }>();
  /** What was done, said once. */
  said = $state('');
  readonly #session: Session;
  readonly #arrived: (imported: Imported) => void;
  #last: Promise<void> = Promise.resolve();

  constructor(session: Session, arrived: (imported: Imported) => void) {
    this.#session = session;
    this.#arrived = arrived;
  }

  /** Asks how everything that matches is exported. */
  async ask(filter: string): Promise<void> {
    await this.#try('Nothing can be exported', async () => {
      const { seqs } = await this.#session.rpc('deliveries.matching', { filter });
      this.#open({ seqs, filter, title: `Export ${plural(seqs.length, 'delivery', 'deliveries')}` });
    });
  }

  askOne(seq: number): void {
    this.#open({ seqs: [seq], filter: '', title: `Export #${seq}` });
  }

  #open(asked: Asked): void {
    this.reveal = false;
    this.error = undefined;
    this.asked = asked;
  }

  /** What a menu offers, where the list shows so many deliveries that match. */
  items(query: string, shown: number): MenuItem[] {
    return [
      {
        label: query === '' ? 'Export all…' : 'Export what matches…',
        disabled: shown === 0,
        run: () => void this.ask(query),
      },
      { label: 'Import a HAR or an export…', run: () => void this.choose() },
    ];
  }

  /** Imports no further than it came. */
  stop(): void {
    if (this.reading) this.reading.stopped = true;
  }

  /** Closes the question, and leaves the export that is under way. */
  cancel(): void {
    if (this.writing) this.writing.stopped = true;
    this.writing = undefined;
    this.asked = undefined;
    this.error = undefined;
  }

  /** Makes the file and saves it. */
  async export(): Promise<void> {
    const asked = this.asked;
    if (!asked || this.writing) return;
    const format = this.format.value;
    const way = (this.writing = new Way('Exported', asked.seqs.length));
    await this.#try('Nothing was exported', async () => {
      const written = await this.#write(asked.seqs, format, this.reveal, way);
      if (!written) return;
      const [only] = asked.seqs;
      const name = asked.seqs.length === 1 ? `delivery-${only}` : 'deliveries';
      const place = await this.#session.host.save(`${name}.${ENDING[format]}`, written.bytes);
      const gone = written.gone === 0 ? '' : `; ${written.gone} were deleted meanwhile`;
      const count = plural(asked.seqs.length - written.gone, 'delivery is', 'deliveries are');
      this.said = `${count} exported${place ? ` to ${place}` : ''}${gone}`;
      if (this.asked === asked) this.asked = undefined;
    });
    if (this.writing === way) this.writing = undefined;
  }

  /** The file's bytes; nothing where it was stopped. */
  async #write(seqs: readonly number[], format: ExportFormat, reveal: boolean, way: Way) {
    const encoder = new TextEncoder();
    const parts: Uint8Array[] = [];
    let [size, gone, at, close] = [0, 0, 0, ''];
    while (at < seqs.length) {
      way.done = at;
      const part = await this.#session.rpc('deliveries.export', {
        seqs: seqs.slice(at, at + AT_ONCE),
        format,
        reveal,
      });
      if (way.stopped) return undefined;
      at += part.done;
      gone += part.gone;
      close = part.close;
      if (part.text === '') continue;
      const bytes = encoder.encode((parts.length === 0 ? part.open : part.between) + part.text);
      parts.push(bytes);
      size += bytes.length;
      if (size > LARGEST) throw new Error(TOO_LARGE);
    }
    if (parts.length === 0) throw new Error('There is nothing to export any more.');
    return { bytes: concat([...parts, encoder.encode(close)]), gone };
  }

  /** Lets the person choose a file, and imports it. */
  async choose(): Promise<void> {
    const file = await chooseFile('.har,.json,.ndjson,.jsonl');
    if (file) await this.import(file);
  }

  /** Imports a file, after those that are on their way. */
  import(file: File): Promise<void> {
    this.#last = this.#last.then(() => this.#import(file));
    return this.#last;
  }

  async #import(file: File): Promise<void> {
    this.imported = undefined;
    const way = (this.reading = new Way('Read', file.size));
    await this.#try(`${file.name} was not imported`, async () => {
      const upload = crypto.randomUUID();
      // Of an empty file there is one part too.
      for (let offset = 0; ; offset += PART) {
        way.done = offset;
        const bytes = new Uint8Array(await file.slice(offset, offset + PART).arrayBuffer());
        const part = { name: file.name, upload, offset, total: file.size, base64: toBase64(bytes) };
        const { report } = await this.#session.rpc('deliveries.import', part);
        if (report) {
          this.imported = { name: file.name, report };
          if (report.imported > 0) this.#arrived(this.imported);
        }
        if (report || way.stopped || offset + PART >= file.size) return;
      }
    });
    this.reading = undefined;
  }

  async #try(title: string, work: () => Promise<void>): Promise<void> {
    this.error = undefined;
    try {
      await work();
    } catch (thrown) {
      this.error = { title, error: HostError.from(thrown) };
    }
  }
}

const TOO_LARGE =
  'The file would have more than 256 MiB. Narrow the filter, or use `hooktwice deliveries export`, which writes as it reads.';
