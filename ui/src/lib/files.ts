/** How much of a file is looked at to tell what it is, in bytes. */
const LOOKED_AT = 4096;

/** Whether a file holds deliveries: a HAR, or an export of ours in lines of JSON. Any other file is a body. */
export async function holdsDeliveries(file: File): Promise<boolean> {
  if (/\.har$/i.test(file.name)) return true;
  const start = (await file.slice(0, LOOKED_AT).text()).trimStart();
  return (
    /^\{\s*"log"\s*:\s*\{\s*"(version|creator|browser|pages|entries|comment)"/.test(start) ||
    /^\{\s*"type"\s*:\s*"delivery"\s*,/.test(start)
  );
}

/** Whether a drag has files, not text or a link. */
export function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}

/** Asks the person for a file; nothing where they think better of it. */
export function chooseFile(accept: string): Promise<File | undefined> {
  return new Promise((done) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = accept;
    input.hidden = true;
    for (const event of ['change', 'cancel'])
      input.addEventListener(event, () => {
        input.remove();
        done(input.files?.[0]);
      });
    // In the document: WebKit may forget one that is nowhere while its dialog is open.
    document.body.append(input);
    input.click();
  });
}
