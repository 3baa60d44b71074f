/** What the page starts with: a finished job, as Sume tells of it. */
export const SAMPLE = `{
  "event": "job.completed",
  "job_id": "job_1f3a5c77c0",
  "status": "completed",
  "artifacts": [
    { "type": "video/mp4", "url": "https://cdn.example/job_1f3a5c77c0/out.mp4" }
  ]
}`;
