/** Parts a stream of bytes into its lines of JSON. Blank lines keep a quiet connection open and are left out. */
export async function* lines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        if (part.trim() !== '') yield JSON.parse(part) as unknown;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
