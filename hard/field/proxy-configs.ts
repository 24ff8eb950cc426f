/**
 * Proxies of Debian 12 in front of the program: the smallest settings with which each forwards everything and
 * compresses what it can, which is what damages answers if anything does. But for HAProxy, none of them heeds
 * `no-transform`: each leaves out downloads, with the lines that docs/operations.md gives.
 */

export interface FrontProxy {
  name: string;
  /** Debian's packages */
  packages: string;
  program: string;
  version: readonly string[];
  /** by name, written to a folder */
  files(at: Place): Record<string, string>;
  command(at: Place): readonly string[];
  env?(at: Place): Record<string, string>;
}

export interface Place {
  /** absolute path of the folder */
  folder: string;
  port: number;
  upstream: number;
}

const apacheModules = ["mpm_event", "authz_core", "proxy", "proxy_http", "filter", "deflate", "brotli", "headers"];

const apache = ({ folder, port, upstream }: Place, lines: readonly string[]): string =>
  [
    `ServerRoot ${folder}`,
    `PidFile ${folder}/apache.pid`,
    `Listen 127.0.0.1:${port}`,
    "ServerName localhost",
    `ErrorLog ${folder}/error.log`,
    ...apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
    ...lines,
    `ProxyPass / http://127.0.0.1:${upstream}/`,
    "",
  ].join("\n");

const apacheWith = (name: string, filter: string): FrontProxy => ({
  name,
  packages: "apache2",
  program: "apache2",
  version: ["-v"],
  files: (at) => ({
    "apache.conf": apache(at, [
      `SetOutputFilter ${filter}`,
      '<Location "/exports/">',
      "  SetOutputFilter NONE",
      "</Location>",
    ]),
  }),
  command: ({ folder }) => ["-f", `${folder}/apache.conf`, "-DFOREGROUND"],
});

const nginxWith = (name: string, http: readonly string[], downloads: readonly string[]): FrontProxy => ({
  name,
  packages: "nginx",
  program: "nginx",
  version: ["-v"],
  files: ({ folder, port, upstream }) => ({
    "nginx.conf": [
      "daemon off; user root; worker_processes 1;",
      `pid ${folder}/nginx.pid; error_log ${folder}/error.log;`,
      "events {}",
      "http {",
      "  access_log off;",
      ...["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `  ${kind}_temp_path ${folder}/${kind};`),
      ...http.map((line) => `  ${line}`),
      `  server { listen 127.0.0.1:${port};`,
      '    proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host;',
      "    proxy_set_header X-Forwarded-For $remote_addr;",
      `    location / { proxy_pass http://127.0.0.1:${upstream}; }`,
      ...(downloads.length === 0
        ? []
        : [`    location /exports/ { proxy_pass http://127.0.0.1:${upstream}; ${downloads.join(" ")} }`]),
      "  }",
      "}",
      "",
    ].join("\n"),
  }),
  command: ({ folder }) => ["-c", `${folder}/nginx.conf`, "-e", `${folder}/error.log`],
});

export const proxies: readonly FrontProxy[] = [
  {
    name: "varnish",
    packages: "varnish",
    program: "varnishd",
    version: ["-V"],
    files: ({ upstream }) => ({
      "default.vcl": `vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "${upstream}"; }\n`,
    }),
    command: ({ folder, port }) => [
      ...["-F", "-a", `127.0.0.1:${port}`, "-f", `${folder}/default.vcl`, "-n", `${folder}/work`, "-s", "malloc,64m"],
    ],
  },
  {
    name: "varnish that compresses",
    packages: "varnish",
    program: "varnishd",
    version: ["-V"],
    files: ({ upstream }) => ({
      "default.vcl": [
        `vcl 4.1;\nbackend default { .host = "127.0.0.1"; .port = "${upstream}"; }`,
        "sub vcl_backend_response {",
        '  if (bereq.url !~ "^/exports/") { set beresp.do_gzip = true; }',
        "}\n",
      ].join("\n"),
    }),
    command: ({ folder, port }) => [
      ...["-F", "-a", `127.0.0.1:${port}`, "-f", `${folder}/default.vcl`, "-n", `${folder}/work`, "-s", "malloc,64m"],
    ],
  },
  {
    name: "lighttpd",
    packages: "lighttpd lighttpd-mod-deflate",
    program: "lighttpd",
    version: ["-v"],
    files: ({ folder, port, upstream }) => ({
      "lighttpd.conf": [
        'server.modules = ("mod_proxy", "mod_deflate")',
        `server.document-root = "${folder}"`,
        'server.bind = "127.0.0.1"',
        `server.port = ${port}`,
        `server.errorlog = "${folder}/error.log"`,
        `proxy.server = ("" => (("host" => "127.0.0.1", "port" => ${upstream})))`,
        'deflate.allowed-encodings = ("br", "gzip", "deflate")',
        '$HTTP["url"] !~ "^/exports/" { deflate.mimetypes = ("") }',
        "",
      ].join("\n"),
    }),
    command: ({ folder }) => ["-D", "-f", `${folder}/lighttpd.conf`],
  },
  {
    name: "caddy",
    packages: "caddy",
    program: "caddy",
    version: ["version"],
    files: ({ port, upstream }) => ({
      Caddyfile: [
        "{\n  admin off\n  auto_https off\n}",
        `http://127.0.0.1:${port} {`,
        "  @others not path /exports/*",
        "  encode @others {\n    gzip\n    zstd\n    match {\n      header Content-Type *\n    }\n  }",
        `  reverse_proxy 127.0.0.1:${upstream}\n}\n`,
      ].join("\n"),
    }),
    command: ({ folder }) => ["run", "--config", `${folder}/Caddyfile`, "--adapter", "caddyfile"],
  },
  apacheWith("apache with deflate", "DEFLATE"),
  apacheWith("apache with brotli", "BROTLI_COMPRESS"),
  nginxWith("nginx", ["gzip on; gzip_proxied any; gzip_types *;"], ["gzip off;"]),
  {
    name: "haproxy",
    packages: "haproxy",
    program: "haproxy",
    version: ["-v"],
    files: ({ port, upstream }) => ({
      "haproxy.cfg": [
        "defaults",
        "  mode http",
        "  timeout connect 5s",
        "  timeout client 60s",
        "  timeout server 60s",
        "  option forwardfor",
        "frontend web",
        `  bind 127.0.0.1:${port}`,
        "  compression algo gzip",
        "  default_backend quizstore",
        "backend quizstore",
        "  compression algo gzip",
        "  option httpchk",
        "  http-check send meth GET uri /readyz",
        `  server one 127.0.0.1:${upstream} check`,
        "",
      ].join("\n"),
    }),
    command: ({ folder }) => ["-db", "-f", `${folder}/haproxy.cfg`],
  },
  {
    name: "traffic server",
    packages: "trafficserver",
    program: "traffic_server",
    version: ["-V"],
    files: ({ folder, port, upstream }) => ({
      "runroot.yaml": [
        ...["prefix: /usr", "exec_prefix: /usr", "bindir: /usr/bin", "sbindir: /usr/sbin", "includedir: /usr/include"],
        ...["libdir: /usr/lib/trafficserver", "libexecdir: /usr/lib/trafficserver/modules", `sysconfdir: ${folder}`],
        ...["datadir", "localstatedir", "runtimedir", "logdir", "cachedir"].map((name) => `${name}: ${folder}`),
        "",
      ].join("\n"),
      "records.config": [
        "CONFIG proxy.config.admin.user_id STRING #-1",
        `CONFIG proxy.config.http.server_ports STRING ${port}:ip-in=127.0.0.1`,
        "",
      ].join("\n"),
      "remap.config": `map / http://127.0.0.1:${upstream}/\n`,
      "plugin.config": `compress.so ${folder}/compress.config\n`,
      "compress.config": [
        "cache false",
        "compressible-content-type *",
        "supported-algorithms br,gzip",
        "allow !*/exports/*",
        // of what it keeps itself, it does not recognise the tags that it has marked
        "allow !*/storefront/v1/quizzes/*",
        "allow *",
        "",
      ].join("\n"),
      "storage.config": `${folder} 64M\n`,
      "ip_allow.yaml": "ip_allow:\n  - apply: in\n    ip_addrs: 127.0.0.1\n    action: allow\n    methods: ALL\n",
    }),
    command: ({ folder }) => [`--run-root=${folder}/runroot.yaml`],
  },
];
