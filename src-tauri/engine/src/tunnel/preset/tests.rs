//! What is run, and what is read, against what the programs really print.

use super::*;

fn plan(settings: &TunnelSettings) -> Plan {
    Plan::new(settings, Local::of("127.0.0.1:4400".parse().unwrap())).unwrap()
}

fn of(preset: TunnelPreset, server: &str) -> TunnelSettings {
    TunnelSettings { preset, server: server.into(), ..TunnelSettings::default() }
}

/// The URL that is found in the lines of a file, and the number of the line.
fn found(plan: &Plan, lines: &str) -> Option<(usize, String)> {
    let plain = lines.lines().map(super::super::pattern::plain);
    plain.enumerate().find_map(|(n, line)| Some((n + 1, plan.finder.find(&line, plan.local)?)))
}

#[test]
fn commands_are_as_they_would_be_typed() {
    for (settings, command) in [
        (
            of(TunnelPreset::Cloudflared, ""),
            "cloudflared tunnel --no-autoupdate --url http://127.0.0.1:4400",
        ),
        (of(TunnelPreset::Ngrok, ""), "ngrok http 127.0.0.1:4400 --log stdout --log-format json"),
        (of(TunnelPreset::Bore, ""), "bore local 4400 --local-host 127.0.0.1 --to bore.pub"),
        (of(TunnelPreset::Bore, "::1"), "bore local 4400 --local-host 127.0.0.1 --to ::1"),
        (
            of(TunnelPreset::LocalhostRun, ""),
            "ssh -T -o ExitOnForwardFailure=yes -o ServerAliveInterval=15 -o ServerAliveCountMax=2 \
             -o BatchMode=yes -o StrictHostKeyChecking=accept-new -R 80:127.0.0.1:4400 nokey@localhost.run",
        ),
        (
            of(TunnelPreset::Serveo, ""),
            "ssh -T -o ExitOnForwardFailure=yes -o ServerAliveInterval=15 -o ServerAliveCountMax=2 \
             -o PasswordAuthentication=no -o StrictHostKeyChecking=accept-new -R 80:127.0.0.1:4400 serveo.net",
        ),
        (
            of(TunnelPreset::Ssh, "me@example.com:2222"),
            "ssh -T -o ExitOnForwardFailure=yes -o ServerAliveInterval=15 -o ServerAliveCountMax=2 \
             -N -o BatchMode=yes -o LogLevel=INFO -p 2222 -R '*:0:127.0.0.1:4400' me@example.com",
        ),
    ] {
        assert_eq!(plan(&settings).command(), command);
    }
    let command = "lt --port {port} --of {url} | tee log".to_owned();
    let settings =
        TunnelSettings { preset: TunnelPreset::Command, command, ..of(TunnelPreset::Bore, "") };
    assert_eq!(plan(&settings).command(), "lt --port 4400 --of http://127.0.0.1:4400 | tee log");
}

#[test]
fn a_listener_on_ipv6_or_on_all_interfaces_is_reached_by_loopback() {
    for (address, command) in [
        ("[::1]:4400", "http://[::1]:4400"),
        ("[::]:4400", "http://[::1]:4400"),
        ("0.0.0.0:4400", "http://127.0.0.1:4400"),
    ] {
        let local = Local::of_url(&format!("http://{address}")).unwrap();
        let plan = Plan::new(&of(TunnelPreset::Cloudflared, ""), local).unwrap();
        assert!(plan.command().contains(command), "{}", plan.command());
    }
    let local = Local::of("[::1]:4400".parse().unwrap());
    let bore = Plan::new(&of(TunnelPreset::Bore, ""), local).unwrap();
    assert!(bore.command().contains("--local-host ::1 "), "{}", bore.command());
    let ssh = Plan::new(&of(TunnelPreset::Ssh, "h"), local).unwrap();
    assert!(ssh.command().contains("'*:0:[::1]:4400'"), "{}", ssh.command());
}

#[test]
fn servers_that_would_be_options_or_more_are_refused() {
    for server in ["-oProxyCommand=x", "", "a b", "me@", "@h", "h:x", "h;x", "me@-h", "h\n"] {
        let settings = of(TunnelPreset::Ssh, server);
        let made = Plan::new(&settings, Local::of("127.0.0.1:1".parse().unwrap()));
        if server == "h\n" {
            // White space at an end is nobody's meaning.
            assert!(made.is_ok());
            continue;
        }
        let error = made.unwrap_err().to_string();
        assert!(error.contains("has to be a host, as me@example.com"), "{server}: {error}");
    }
    let bore =
        Plan::new(&of(TunnelPreset::Bore, "h:7835"), Local::of("127.0.0.1:1".parse().unwrap()));
    assert!(bore.unwrap_err().to_string().contains("always 7835"));
}

#[test]
fn the_url_is_found_in_what_each_program_prints() {
    for (settings, lines, expected) in [
        (
            of(TunnelPreset::Cloudflared, ""),
            CLOUDFLARED,
            (4, "https://purple-rain-4d7f.trycloudflare.com"),
        ),
        (of(TunnelPreset::Ngrok, ""), NGROK, (3, "https://94b1-203-0-113-7.ngrok-free.app")),
        (of(TunnelPreset::Bore, ""), BORE, (2, "http://bore.pub:3263")),
        (of(TunnelPreset::LocalhostRun, ""), LOCALHOST_RUN, (9, "https://47970a65005227.lhr.life")),
        (of(TunnelPreset::Serveo, ""), SERVEO, (1, "https://relego.serveousercontent.com")),
        (of(TunnelPreset::Ssh, "me@example.com"), OPENSSH, (2, "http://example.com:43215")),
    ] {
        let (line, url) = expected;
        let preset = settings.preset;
        assert_eq!(found(&plan(&settings), lines), Some((line, url.to_owned())), "{preset:?}");
    }
}

#[test]
fn what_only_looks_like_a_public_url_is_none() {
    let cloudflared = plan(&of(TunnelPreset::Cloudflared, ""));
    for line in [
        "ERR Error unmarshaling QuickTunnel response: error code: 1015 url=https://api.trycloudflare.com/tunnel",
        "INF |  https://api.trycloudflare.com.evil.example  |",
        "INF Requesting new quick Tunnel on trycloudflare.com...",
    ] {
        assert_eq!(cloudflared.finder.find(line, cloudflared.local), None, "{line}");
    }
    let ngrok = plan(&of(TunnelPreset::Ngrok, ""));
    for line in [
        r#"{"lvl":"info","msg":"started tunnel","url":"http://94b1.ngrok.io"}"#,
        r#"{"lvl":"eror","msg":"see","url":"https://ngrok.com/docs"}"#,
        "https://a.ngrok-free.app",
    ] {
        assert_eq!(ngrok.finder.find(line, ngrok.local), None, "{line}");
    }
}

#[test]
fn cloudflared_is_asked_when_it_is_connected() {
    let plan = plan(&of(TunnelPreset::Cloudflared, ""));
    let ready = plan.ready.unwrap();
    assert_eq!(CLOUDFLARED.lines().position(|line| ready.is_match(line)), Some(6));
}

#[test]
fn advice_is_what_the_lines_call_for() {
    let line = |text: &str| [text.to_owned()];
    let ngrok = plan(&of(TunnelPreset::Ngrok, ""));
    let said = line(
        "ERROR:  authentication failed: Usage of ngrok requires a verified account and authtoken.",
    );
    assert!(ngrok.advice(&said).unwrap().contains("add-authtoken"));
    assert_eq!(ngrok.advice(&[]), None);
    let ssh = plan(&of(TunnelPreset::Ssh, "h"));
    assert!(ssh.advice(&line("Host key verification failed.")).unwrap().contains("by hand"));
    let refused = line("Error: remote port forwarding failed for listen port 0");
    assert!(ssh.advice(&refused).unwrap().contains("AllowTcpForwarding"));
}

const CLOUDFLARED: &str = "\
2026-11-30T10:30:44Z INF Thank you for trying Cloudflare Tunnel. Doing so, without a Cloudflare account, is a quick way to experiment and try it out. (https://www.cloudflare.com/website-terms/)
2026-11-30T10:30:44Z INF Requesting new quick Tunnel on trycloudflare.com...
2026-11-30T10:30:46Z INF |  Your quick Tunnel has been created! Visit it at (it may take some time to be reachable):  |
2026-11-30T10:30:46Z INF |  https://purple-rain-4d7f.trycloudflare.com                                                |
2026-11-30T10:30:46Z INF +--------------------------------------------------------------------------------------------+
2026-11-30T10:30:46Z INF Settings: map[ha-connections:1 no-autoupdate:true protocol:quic url:http://127.0.0.1:4400]
2026-11-30T10:30:47Z INF Registered tunnel connection connIndex=0 event=0 ip=198.41.200.13 location=ams01 protocol=quic
";

const NGROK: &str = r#"{"lvl":"info","msg":"no configuration paths supplied","t":"2026-11-30T10:30:44Z"}
{"addr":"127.0.0.1:4040","allow_hosts":null,"lvl":"info","msg":"starting web service","obj":"web","t":"2026-11-30T10:30:44Z"}
{"addr":"http://127.0.0.1:4400","lvl":"info","msg":"started tunnel","name":"command_line","obj":"tunnels","t":"2026-11-30T10:30:45Z","url":"https://94b1-203-0-113-7.ngrok-free.app"}
"#;

const BORE: &str = "\
\u{1b}[2m2026-11-30T02:05:55.342665Z\u{1b}[0m \u{1b}[32m INFO\u{1b}[0m \u{1b}[2mbore_cli::client\u{1b}[0m\u{1b}[2m:\u{1b}[0m connected to server \u{1b}[3mremote_port\u{1b}[0m\u{1b}[2m=\u{1b}[0m3263
\u{1b}[2m2026-11-30T02:05:55.342695Z\u{1b}[0m \u{1b}[32m INFO\u{1b}[0m \u{1b}[2mbore_cli::client\u{1b}[0m\u{1b}[2m:\u{1b}[0m listening at bore.pub:3263
";

const LOCALHOST_RUN: &str = "\
===============================================================================
Welcome to localhost.run!

Follow your favourite reverse tunnel at [https://twitter.com/localhost_run].
To set up and manage custom domains go to https://admin.localhost.run/
===============================================================================
** your connection id is 61516456-2da3-4b57-b3cb-b7f41fe51fea, please mention it if you send me a message about an issue. **
authenticated as anonymous user
47970a65005227.lhr.life tunneled with tls termination, https://47970a65005227.lhr.life
create an account and add your key for a longer lasting domain name. see https://localhost.run/docs/forever-free/ for more information.
";

const SERVEO: &str = "\
\u{1b}[32mForwarding HTTP traffic from https://relego.serveousercontent.com\u{1b}[0m
Press g to start a GUI session and ctrl-c to quit.
";

const OPENSSH: &str = "\
Warning: Permanently added 'example.com' (ED25519) to the list of known hosts.
Allocated port 43215 for remote forward to 127.0.0.1:4400
";
