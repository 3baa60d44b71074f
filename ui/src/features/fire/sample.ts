/** A finished job as Sume tells of it, with an id that no delivery had before. */
export function sample(): string {
  const digits = crypto.getRandomValues(new Uint8Array(6));
  const job = `job_${Array.from(digits, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  return `{
  "event": "job.completed",
  "job_id": "${job}",
  "status": "completed",
  "artifacts": [
    { "type": "video/mp4", "url": "https://cdn.example/${job}/out.mp4" }
  ]
}`;
}
