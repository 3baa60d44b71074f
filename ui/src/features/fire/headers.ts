/** More headers, typed one a line as `Name: value`; blank lines are left out. */
export function parseHeaders(text: string): { headers: [string, string][]; fault: string | undefined } {
  const headers: [string, string][] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    if (colon < 0 || name === '') {
      return { headers: [], fault: `Line ${index + 1} is no header: write it as Name: value.` };
    }
    headers.push([name, line.slice(colon + 1).trim()]);
  }
  return { headers, fault: undefined };
}
