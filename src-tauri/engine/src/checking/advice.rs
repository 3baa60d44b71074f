//! What to do about a fault: why it is a risk where delivery is at least once, and the pattern that fixes it.

/// A fault, by the pattern that fixes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Advice {
    ClaimByInsert,
    ClaimAcrossTime,
    AcknowledgeDuplicates,
    AcknowledgeInTime,
    AcknowledgeAfterKeeping,
    RunOnce,
    VerifyRawBytes,
    VerifyWhole,
    RequireSignature,
    VerifyBody,
    VerifyThenClaim,
    CheckAge,
    AcceptWithoutId,
    KeepIdsWhole,
    AnswerMalformed,
    AnswerForged,
    TakeLargeBodies,
    ReleaseOnFailure,
    OneTransaction,
    QuickThenSlow,
    OverlapLoses,
    SharedClaim,
    DurableClaim,
    SurviveCrash,
    OneAtATime,
    BusyIsFine,
}

impl Advice {
    /// In two or three sentences.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::ClaimByInsert => {
                "Two deliveries of one job can arrive at the same moment, and both find nothing when they look first. Make the \
                 insert the lock: put job_id under a unique key, insert it, and work only when that very statement \
                 changed a row (INSERT … ON CONFLICT DO NOTHING, then look at the number of changed rows). A look before the insert \
                 decides nothing, and neither does INSERT OR REPLACE, which always changes a row."
            }
            Self::ClaimAcrossTime => {
                "A retry comes half a minute later, and a Redeliver whenever somebody presses the button. Whatever remembers the \
                 job has to be there before the work begins and stay after it ended: no time to live, no lock that runs out \
                 while the work still runs, no mark that is only set when the work is done. Insert job_id under a unique key first, \
                 and keep the row."
            }
            Self::AcknowledgeDuplicates => {
                "Everything but a 2xx counts as a failed delivery: the provider comes again up to the end of its schedule, and then shows a \
                 failed webhook for a job that is done. Answer a duplicate 2xx and do nothing. Where the unique violation of an insert is \
                 what tells you, catch it, and outside of the transaction that it has ended."
            }
            Self::AcknowledgeInTime => {
                "An answer that comes after the provider's limit (10 s at Sume) counts as none, and the next attempt runs beside the first. \
                 Keep the job, answer 2xx at once, and do the slow work afterwards in a worker that reads what was kept."
            }
            Self::AcknowledgeAfterKeeping => {
                "A 2xx ends the provider's attempts for good. Answer it only when the effect has happened, or when the job stands in \
                 durable storage from which a worker will take it up; else answer 5xx, so that the next attempt can run it. \
                 Polling the status of jobs that are overdue is the safety net."
            }
            Self::RunOnce => {
                "One delivery made the effect more than once, before any duplicate came. Look for the work being called twice: two \
                 routes or subscribers for one event, a retry around the whole handler, or a probe that counts something else."
            }
            Self::VerifyRawBytes => {
                "The signature covers the bytes as they were sent. A body that was parsed and written again has other spaces, \
                 escapes or line ends, and its signature no longer fits. Read the raw body first, verify over it, and parse afterwards."
            }
            Self::VerifyWhole => {
                "Whoever knows the URL can send a forged event. Compute the digest over what the provider signs (the raw body, and what \
                 its scheme puts before it), and compare the whole of it, in constant time, with one of equal length; answer 401 to \
                 everything else. A missing, short or over-long signature is a wrong one."
            }
            Self::RequireSignature => {
                "A check that runs only when the header is there is none: a forger leaves it out. Answer 401 where the \
                 signature's header is missing, or a timestamp that its scheme signs."
            }
            Self::VerifyBody => {
                "A signature that was made for another body was accepted, so anything can be put into the body. Compute the digest \
                 over the raw body that came with it, not over a part of it or over what stands before it alone."
            }
            Self::VerifyThenClaim => {
                "A forged delivery used up the job, and the real one was taken for its duplicate: whoever knows the URL can \
                 make you lose events. Verify the signature first, and claim only what is verified."
            }
            Self::CheckAge => {
                "Whoever once saw a delivery can send it again whenever they like. Refuse a signed time that is more than \
                 five minutes off, before and after; every retry and Redeliver of the provider carries a fresh one."
            }
            Self::AcceptWithoutId => {
                "The provider's test event carries no job_id. Verify it, answer 2xx, and do nothing: an error here makes the test button \
                 fail, and an id like `undefined` as a key swallows the next such event."
            }
            Self::KeepIdsWhole => {
                "Two different jobs were taken for one, so one of them got lost. Keep ids as they come, byte for byte: no cut to a column's \
                 length, no folding of case, no Unicode normalisation, and a column whose collation compares bytes."
            }
            Self::AnswerMalformed => {
                "A body that is not JSON must not be an accident: a 5xx makes the provider come again with the same body, and a crash \
                 takes other deliveries along. Parse inside a guard, after verifying, and answer 400."
            }
            Self::AnswerForged => {
                "A signature of another length or alphabet must be a plain no. Compare as bytes after checking the length \
                 (some constant-time comparisons throw otherwise), and answer 401; a 5xx asks for the same delivery again."
            }
            Self::TakeLargeBodies => {
                "A body over the framework's default limit is refused before your code sees it, and the provider comes again in vain. \
                 Raise the limit for this route, say to 10 MiB."
            }
            Self::ReleaseOnFailure => {
                "The work failed, and the event is taken for done. When work fails, give the claim back and answer 5xx, so that the \
                 next attempt can run it; or acknowledge first and let a worker with retries of its own carry it through."
            }
            Self::OneTransaction => {
                "The effect was kept although the delivery failed, so the next attempt made it again. Put claim and effect \
                 into one transaction that is rolled back together; where the effect is outside of the database, make it last, or \
                 give it an idempotency key of its own."
            }
            Self::QuickThenSlow => {
                "Work that takes seconds inside the request comes near the provider's limit of 10 s, and then the next attempt overlaps it. Keep the job, \
                 answer 2xx at once, and do the slow work in a worker that reads it."
            }
            Self::OverlapLoses => {
                "A duplicate was acknowledged while the first delivery was still at work, and then that work failed. The provider \
                 has its 2xx and comes no more, so this job is lost until somebody notices. To be safe, let a duplicate of unfinished work wait or \
                 answer it 409 or 503; or keep the job before acknowledging and let a worker retry it; and poll the status of jobs \
                 that are overdue."
            }
            Self::SharedClaim => {
                "What keeps the copies apart lives inside one process, and there are several. Put the claim where all instances see it: \
                 a unique key in the database that they share."
            }
            Self::DurableClaim => {
                "After a restart the handler does not know the job any more. Keep the claim on disk, in the database that also keeps \
                 the effect."
            }
            Self::SurviveCrash => {
                "When the process ends in the middle of the work, the claim and the effect must not tell different stories. Commit both in one \
                 transaction; or mark a claim as unfinished until the work is done, and take unfinished ones up again at the start \
                 and when their next delivery comes."
            }
            Self::OneAtATime => {
                "The copies were taken one after another, so nothing was tried of what happens when two of them run at once. That holds \
                 only while there is a single process with a single worker. Try it as it runs in production, with every --url of its instances."
            }
            Self::BusyIsFine => {
                "Copies were refused at first and acknowledged when they came again. The provider does come again, so nothing is lost, but every \
                 refusal costs one of its attempts. A duplicate can be answered 2xx at once."
            }
        }
    }
}
