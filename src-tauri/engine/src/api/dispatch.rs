//! The commands, once.

use super::wire::{
    BodyRange, BodySlice, BySeq, BySeqs, ByUndo, Changed, CheckId, CheckParams, Checks, ClaimPage,
    CurlParams, DeliverParams, Delivered, DemoParams, DiscardClaims, Discarded, DiscardedClaims,
    ExportParams, ExportPart, Facets, Filter, FireParams, First, ImportParams, ImportPart,
    JobDeliveries, JobId, Matching, Nothing, OfScheme, PinParams, ProbeParams, RemoveSecret,
    ReportParams, RunId, Runs, SecretName, SetSecret, SetSumeKey, TestDelivery, Text, WatchParams,
    Watched, Window,
};
use crate::{
    engine::Engine,
    error::{Error, Result},
    model::{
        AppState, CheckReport, ClaimSelector, DeliverReport, DeliveryCounts, DeliveryDetail,
        DeliveryPage, DeliveryQuery, DemoReport, Evidence, JobStatus, JudgeSpec, RestoredClaims,
        RunReport, Settings, SignatureDetail, SignatureReport, SumeAnswer,
    },
};
use serde_json::Value;

/// Declares the commands: name, parameters, result, and what does it. Makes [`COMMANDS`], [`dispatch`] and
/// [`typescript`], which therefore cannot differ.
macro_rules! commands {
    ($($name:literal => ($engine:ident, $params:ident: $in:ty) -> $out:ty $body:block)+) => {
        /// The name of every command.
        pub const COMMANDS: &[&str] = &[$($name),+];

        /// Carries out a command.
        ///
        /// # Errors
        /// When there is no such command, its parameters do not fit, or it fails.
        pub async fn dispatch(engine: &Engine, command: &str, params: Value) -> Result<Value> {
            match command {
                $($name => {
                    let $engine = engine;
                    let $params: $in = read($name, params)?;
                    let result: Result<$out> = async { $body }.await;
                    write(&result?)
                })+
                other => Err(Error::NotFound(format!("There is no command {other}."))),
            }
        }

        /// `Commands.ts`: what each command takes and gives.
        pub fn typescript() -> String {
            let mut names = std::collections::BTreeSet::new();
            let mut lines = String::new();
            $({
                let (params, result) = (ts_name::<$in>(), ts_name::<$out>());
                lines += &format!("  {:?}: {{ params: {params}; result: {result} }};\n", $name);
                names.extend([params, result]);
            })+
            let mut text = String::from("// Generated from the engine's commands. Do not edit.\n");
            for name in names {
                text += &format!("import type {{ {name} }} from \"./{name}\";\n");
            }
            text + "\nexport type Commands = {\n" + &lines + "};\n"
        }
    };
}

fn ts_name<T: ts_rs::TS>() -> String {
    T::name(&ts_rs::Config::default())
}

/// The commands that take a secret.
const TAKE_SECRETS: [&str; 3] = ["secret.set", "deliveries.judge", "sume.set_key"];

fn read<T: serde::de::DeserializeOwned>(command: &str, params: Value) -> Result<T> {
    serde_json::from_value(params).map_err(|error| {
        // The reason quotes what stands in the wrong place, and that may be a secret.
        let why =
            if TAKE_SECRETS.contains(&command) { String::new() } else { format!(": {error}") };
        Error::Input(format!("The parameters of {command} do not fit{why}."))
    })
}

fn write<T: serde::Serialize>(result: &T) -> Result<Value> {
    serde_json::to_value(result)
        .map_err(|error| Error::Input(format!("The answer cannot be written: {error}.")))
}

commands! {
    "app.state" => (engine, _params: Nothing) -> AppState { engine.state().await }
    "app.first" => (engine, _params: Nothing) -> First { super::first::first(engine).await }

    "deliveries.list" => (engine, params: DeliveryQuery) -> DeliveryPage {
        engine.read(move |store| store.list(&params)).await
    }
    "deliveries.counts" => (engine, params: Filter) -> DeliveryCounts {
        engine.read(move |store| store.counts(&params.filter)).await
    }
    "deliveries.facets" => (engine, params: Filter) -> Facets {
        let facets = engine.read(move |store| store.facets(&params.filter)).await?;
        Ok(Facets { facets })
    }
    "deliveries.show" => (engine, params: BySeq) -> DeliveryDetail { engine.delivery(params.seq).await }
    "deliveries.body" => (engine, params: BodyRange) -> BodySlice { super::deliveries::body(engine, params).await }
    "deliveries.signature" => (engine, params: BySeq) -> SignatureDetail { engine.signature(params.seq).await }
    "deliveries.judge" => (engine, params: JudgeSpec) -> SignatureReport { engine.judge(params).await }
    "deliveries.job" => (engine, params: BySeq) -> JobDeliveries { super::deliveries::job(engine, params.seq).await }
    "deliveries.curl" => (engine, params: CurlParams) -> Text { super::deliveries::curl(engine, params).await }
    "deliveries.matching" => (engine, params: Filter) -> Matching {
        let seqs = engine.read(move |store| store.matching(&params.filter)).await?;
        Ok(Matching { seqs })
    }
    "deliveries.export" => (engine, params: ExportParams) -> ExportPart {
        super::deliveries::export(engine, params).await
    }
    "deliveries.import" => (engine, params: ImportParams) -> ImportPart {
        super::deliveries::import(engine, params).await
    }
    "deliveries.pin" => (engine, params: PinParams) -> Changed {
        let changed = engine.store().pin(params.seq, params.pinned).await?;
        super::deliveries::told(engine, changed)
    }
    "deliveries.delete" => (engine, params: BySeqs) -> Changed {
        let changed = engine.store().delete(params.seqs).await?;
        super::deliveries::told(engine, changed)
    }
    "deliveries.discard" => (engine, params: BySeqs) -> Discarded {
        super::deliveries::discard(engine, params.seqs).await
    }
    "deliveries.restore" => (engine, params: BySeqs) -> Changed {
        let changed = engine.store().restore(params.seqs).await?;
        super::deliveries::told(engine, changed)
    }
    "deliveries.clear" => (engine, _params: Nothing) -> Changed {
        let changed = engine.store().clear().await?;
        super::deliveries::told(engine, changed)
    }

    "claims.list" => (engine, params: Window) -> ClaimPage {
        let (claims, total) = engine.read(move |store| store.claims(params.limit, params.offset)).await?;
        Ok(ClaimPage { claims, total })
    }
    "claims.release" => (engine, params: ClaimSelector) -> Changed {
        let changed = engine.store().release(params).await?;
        super::deliveries::claims_told(engine, changed)
    }
    "claims.discard" => (engine, params: DiscardClaims) -> DiscardedClaims {
        super::deliveries::discard_claims(engine, params.which).await
    }
    "claims.restore" => (engine, params: ByUndo) -> RestoredClaims {
        super::deliveries::restore_claims(engine, params.undo).await
    }
    "claims.clear" => (engine, _params: Nothing) -> Changed {
        let changed = engine.store().clear_claims().await?;
        super::deliveries::claims_told(engine, changed)
    }

    "fire.start" => (engine, params: FireParams) -> RunReport { engine.fire(params.plan).await }
    "fire.stop" => (engine, params: RunId) -> Nothing { engine.stop_run(&params.id).map(|()| Nothing {}) }
    "fire.runs" => (engine, _params: Nothing) -> Runs { Ok(Runs { runs: engine.runs().await? }) }
    "fire.run" => (engine, params: RunId) -> RunReport { engine.run(params.id).await }
    "fire.command" => (engine, params: FireParams) -> Text {
        Ok(Text { text: engine.fire_command(&params.plan).await? })
    }
    "check.start" => (engine, params: CheckParams) -> CheckReport { engine.check(params.spec).await }
    "check.stop" => (engine, params: CheckId) -> Nothing { engine.stop_check(&params.id).map(|()| Nothing {}) }
    "check.runs" => (engine, _params: Nothing) -> Checks { Ok(Checks { checks: engine.checks().await? }) }
    "check.run" => (engine, params: CheckId) -> CheckReport { engine.kept_check(params.id).await }
    "check.probe" => (engine, params: ProbeParams) -> Evidence {
        let _ = engine;
        Ok(crate::engine::try_probe(&params.probe, &params.job_id).await?)
    }
    "check.report" => (engine, params: ReportParams) -> Text {
        Ok(Text { text: engine.check_report(params.id, params.format).await? })
    }
    "check.command" => (engine, params: CheckParams) -> Text { Ok(Text { text: engine.check_command(&params.spec) }) }
    "sample.fire" => (engine, _params: Nothing) -> RunReport { engine.fire_sample().await }
    "sample.curl" => (engine, _params: Nothing) -> Text { Ok(Text { text: engine.sample_curl()? }) }
    "demo.run" => (engine, params: DemoParams) -> DemoReport {
        let _ = engine;
        crate::demo::run(params.copies).await
    }

    "listener.start" => (engine, _params: Nothing) -> AppState {
        engine.start_listener().await;
        engine.state().await
    }
    "listener.stop" => (engine, _params: Nothing) -> AppState {
        engine.stop_listener().await;
        engine.state().await
    }
    "settings.set" => (engine, params: Settings) -> AppState {
        engine.set_settings(params).await?;
        engine.state().await
    }
    "secret.set" => (engine, params: SetSecret) -> AppState {
        engine.set_secret(&params.scheme, &params.name, params.secret).await?;
        engine.state().await
    }
    "secret.use" => (engine, params: SecretName) -> AppState {
        engine.use_kept_secret(&params.scheme, &params.name).await?;
        engine.state().await
    }
    "secret.prefer" => (engine, params: SecretName) -> AppState {
        engine.prefer_secret(&params.scheme, &params.name).await?;
        engine.state().await
    }
    "secret.remove" => (engine, params: RemoveSecret) -> AppState {
        engine.remove_secret(&params.scheme, &params.name, params.forget).await?;
        engine.state().await
    }
    "secret.generate" => (engine, params: OfScheme) -> AppState {
        engine.generate_secret(&params.scheme).await?;
        engine.state().await
    }
    "secret.clear" => (engine, params: OfScheme) -> AppState {
        engine.clear_secrets(&params.scheme).await?;
        engine.state().await
    }

    "deliver.start" => (engine, params: DeliverParams) -> DeliverReport { engine.deliver(params.spec).await }
    "deliver.stop" => (engine, params: RunId) -> Nothing { engine.stop_delivering(&params.id).map(|()| Nothing {}) }
    "deliver.runs" => (engine, _params: Nothing) -> Delivered { Ok(Delivered { reports: engine.delivered() }) }

    "tunnel.command" => (engine, _params: Nothing) -> Text { Ok(Text { text: engine.tunnel_command()? }) }
    "tunnel.start" => (engine, _params: Nothing) -> AppState {
        engine.start_tunnel().await?;
        engine.state().await
    }
    "tunnel.stop" => (engine, _params: Nothing) -> AppState {
        engine.stop_tunnel().await;
        engine.state().await
    }

    "sume.set_key" => (engine, params: SetSumeKey) -> AppState {
        engine.set_sume_key(params.key).await?;
        engine.state().await
    }
    "sume.forget_key" => (engine, _params: Nothing) -> AppState {
        engine.forget_sume_key().await?;
        engine.state().await
    }
    "sume.test" => (engine, params: TestDelivery) -> SumeAnswer { engine.sume_test_delivery(&params.url).await }
    "sume.redeliver" => (engine, params: JobId) -> SumeAnswer { engine.sume_redeliver(&params.job_id).await }
    "sume.status" => (engine, params: JobId) -> JobStatus { engine.sume_status(&params.job_id).await }
    "sume.watched" => (engine, _params: Nothing) -> Watched { Ok(Watched { jobs: engine.watched().await? }) }
    "sume.watch" => (engine, params: WatchParams) -> Watched {
        engine.watch(params.job_ids, params.expect_within_s).await?;
        Ok(Watched { jobs: engine.watched().await? })
    }
    "sume.unwatch" => (engine, params: JobId) -> Watched {
        engine.unwatch(&params.job_id).await?;
        Ok(Watched { jobs: engine.watched().await? })
    }
}
