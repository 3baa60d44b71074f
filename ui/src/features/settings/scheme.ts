import type { CustomAlgorithm } from '$bindings/CustomAlgorithm';
import type { CustomEncoding } from '$bindings/CustomEncoding';
import type { CustomForm } from '$bindings/CustomForm';
import type { CustomSecret } from '$bindings/CustomSecret';
import type { CustomTimestamp } from '$bindings/CustomTimestamp';
import type { SumeForm } from '$bindings/SumeForm';
import { rules, withListen, type Faults, type Section } from './sections';
import { templateFault, templateParts } from './template';
import { readEscapes, writeEscapes } from './escapes';

/** The scheme, Sume's names and the custom form; each is kept while another is chosen. */
export type SchemeDraft = {
  scheme: string;
  sumeTimestamp: string;
  sumeSignature: string;
  sumeEventId: string;
  sumeTag: string;
  /** With its line breaks and tabs as escapes, so that they are seen and stay as they are. */
  signed: string;
  signature: string;
  timeKind: CustomTimestamp['kind'];
  timeHeader: string;
  timeParameter: string;
  idHeader: string;
  algorithm: CustomAlgorithm;
  encoding: CustomEncoding;
  prefix: string;
  separator: string;
  secret: CustomSecret;
};

/** What Sume has published for its earlier API. */
export const SUMES_OWN = {
  sumeTimestamp: 'X-Sume-Timestamp',
  sumeSignature: 'X-Sume-Signature',
  sumeEventId: 'X-Sume-Event-Id',
  sumeTag: 'v1=',
} as const;

export function isSumesOwn(draft: SchemeDraft): boolean {
  return Object.entries(SUMES_OWN).every(([field, value]) => draft[field as keyof SchemeDraft] === value);
}

export const schemeSection: Section<SchemeDraft> = {
  read: ({ listen, schemes: { sume, custom } }) => ({
    scheme: listen.scheme,
    sumeTimestamp: sume.timestamp_header,
    sumeSignature: sume.signature_header,
    sumeEventId: sume.event_id_header,
    sumeTag: sume.tag,
    signed: writeEscapes(custom.signed),
    signature: custom.signature_header,
    timeKind: custom.timestamp.kind,
    timeHeader: custom.timestamp.kind === 'header' ? custom.timestamp.name : 'X-Timestamp',
    timeParameter: custom.timestamp.kind === 'parameter' ? custom.timestamp.name : 't',
    idHeader: custom.id_header,
    algorithm: custom.algorithm,
    encoding: custom.encoding,
    prefix: custom.prefix,
    separator: custom.separator,
    secret: custom.secret,
  }),
  // Only what is shown can be mended.
  check: (draft) =>
    draft.scheme === 'sume' ? sumeFaults(draft) : draft.scheme === 'custom' ? customFaults(draft) : {},
  // What is not shown goes along, unless it could not be saved.
  apply: (settings, draft) => ({
    ...withListen(settings, { scheme: draft.scheme }),
    schemes: {
      sume: isEmpty(sumeFaults(draft)) ? sume(draft) : settings.schemes.sume,
      custom: isEmpty(customFaults(draft)) ? custom(draft) : settings.schemes.custom,
    },
  }),
};

const isEmpty = (faults: Faults<SchemeDraft>) => Object.keys(faults).length === 0;

function sume(draft: SchemeDraft): SumeForm {
  return {
    timestamp_header: draft.sumeTimestamp,
    signature_header: draft.sumeSignature,
    event_id_header: draft.sumeEventId,
    tag: draft.sumeTag,
  };
}

function custom(draft: SchemeDraft): CustomForm {
  const { algorithm, encoding, prefix, separator, secret } = draft;
  return {
    signed: readEscapes(draft.signed) ?? draft.signed,
    signature_header: draft.signature,
    timestamp: timestamp(draft),
    id_header: draft.idHeader,
    algorithm,
    encoding,
    prefix,
    separator,
    secret,
  };
}

function timestamp({ timeKind, timeHeader, timeParameter }: SchemeDraft): CustomTimestamp {
  if (timeKind === 'header') return { kind: 'header', name: timeHeader };
  return timeKind === 'parameter' ? { kind: 'parameter', name: timeParameter } : { kind: 'none' };
}

const isHeader = (name: string) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
const A_HEADER = 'The name of a header, as X-Signature.';
const ITS_OWN = 'Another than the headers before it.';

function sumeFaults(draft: SchemeDraft): Faults<SchemeDraft> {
  const { sumeTimestamp: time, sumeSignature: signature, sumeEventId: id } = draft;
  return rules<SchemeDraft>(
    ['sumeSignature', !isSame(signature, time), ITS_OWN],
    ['sumeEventId', !isSame(id, time) && !isSame(id, signature), ITS_OWN],
    ['sumeTimestamp', isHeader(time), A_HEADER],
    ['sumeSignature', isHeader(signature), A_HEADER],
    ['sumeEventId', isHeader(id), A_HEADER],
    ['sumeTag', /^[!-+\--~]*$/.test(draft.sumeTag), 'ASCII without spaces and commas, as v1=, or nothing.'],
  );
}

function customFaults(draft: SchemeDraft): Faults<SchemeDraft> {
  const { signature, timeKind, timeHeader, timeParameter, idHeader, prefix, separator } = draft;
  const faults = rules<SchemeDraft>(
    ['signature', isHeader(signature), A_HEADER],
    ['timeHeader', timeKind !== 'header' || !isSame(timeHeader, signature), ITS_OWN],
    ['timeHeader', timeKind !== 'header' || isHeader(timeHeader), A_HEADER],
    [
      'timeParameter',
      timeKind !== 'parameter' ||
        (/^[!-<>-~]+$/.test(timeParameter) && (separator === '' || !timeParameter.includes(separator))),
      'A short word, as t.',
    ],
    [
      'idHeader',
      idHeader === '' ||
        (!isSame(idHeader, signature) && (timeKind !== 'header' || !isSame(idHeader, timeHeader))),
      ITS_OWN,
    ],
    ['idHeader', idHeader === '' || isHeader(idHeader), `${A_HEADER} Empty for none.`],
    ['prefix', /^(?! )[ -~]*$/.test(prefix), 'ASCII that does not begin with a space, or nothing.'],
    [
      'prefix',
      timeKind !== 'parameter' || timeParameter === '' || !prefix.startsWith(`${timeParameter}=`),
      'Another than what stands before the timestamp.',
    ],
    ['separator', separatorFits(draft), 'One character that stands in no signature, as a comma.'],
    ['separator', timeKind !== 'parameter' || separator !== '', 'It parts the timestamp from the signature.'],
  );
  const signed = signedFault(draft);
  return signed === undefined ? faults : { ...faults, signed };
}

function separatorFits({ separator, prefix, encoding }: SchemeDraft): boolean {
  if (separator === '') return true;
  const digest = encoding === 'hex' ? /[0-9a-f]/i : /[0-9a-z+/=]/i;
  return /^[ -~]$/.test(separator) && !digest.test(separator) && !prefix.includes(separator);
}

function signedFault({ signed, timeKind, idHeader }: SchemeDraft): string | undefined {
  const text = readEscapes(signed);
  if (text === undefined) return 'A backslash begins \\n, \\r, \\t or \\\\.';
  const fault = templateFault(text);
  if (fault !== undefined) return fault;
  const names = templateParts(text);
  if (names.includes('timestamp') && timeKind === 'none') return '{timestamp} is signed, and none is sent.';
  if (names.includes('id') && idHeader === '') return '{id} is signed, and no header is named for it.';
  return undefined;
}
