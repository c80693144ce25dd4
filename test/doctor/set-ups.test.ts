import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/app/store.ts'
import { explainError } from '../../src/cli/explain-error.ts'
import { examineDatabase } from '../../src/doctor/database.ts'
import { examineAddress } from '../../src/doctor/service.ts'
import { examineToken } from '../../src/doctor/slack.ts'
import { KEY_A, makeFolder } from '../databases/databases.ts'
import { hasPgbouncer, startPgbouncer, TRANSACTION_MODE } from '../databases/pgbouncer.ts'
import { startPostgresDatabase } from '../databases/postgres.ts'
import { CERTIFICATE, KEY } from './certificate.ts'

/** Changes the database as its superuser, and returns the address that the operator has in DATABASE_URL. */
type SetUp = (superuser: pg.Client, url: URL) => Promise<string>

/** Creates a role that can log in, and returns the address with it. */
async function withRole(superuser: pg.Client, url: URL, statements = ''): Promise<string> {
  const name = `app_${url.pathname.slice(1)}`
  await superuser.query(`create role ${name} login password 'x'; ${statements.replaceAll('ROLE', name)}`)
  return Object.assign(new URL(url), { username: name, password: 'x' }).href
}

const withQuery = (url: URL, query: string): string => `${url.href}?${query}`

const SET_UPS: readonly { name: string; initial?: 'migrated'; setUp: SetUp; sentence: RegExp }[] = [
  {
    name: 'a role that may not create tables',
    setUp: (superuser, url) => withRole(superuser, url),
    sentence:
      /doesn’t let this user create tables: grant it USAGE and CREATE on the schema\. It says “permission denied for schema public”/,
  },
  {
    name: 'tables of another user',
    initial: 'migrated',
    setUp: (superuser, url) => withRole(superuser, url, 'grant all on schema public to ROLE;'),
    sentence: /has tables of another user: make this user their owner.*“permission denied for table \w+”/,
  },
  {
    name: 'a role that may not connect',
    setUp: (superuser, url) =>
      withRole(superuser, url, `revoke connect on database ${url.pathname.slice(1)} from public;`),
    sentence: /doesn’t let this user connect: grant it CONNECT on the database/,
  },
  {
    name: 'a role that may not log in',
    setUp: (superuser, url) => withRole(superuser, url, 'alter role ROLE nologin;'),
    sentence: /doesn’t let this user log in: give it LOGIN/,
  },
  {
    name: 'a role that only reads',
    setUp: (superuser, url) =>
      withRole(
        superuser,
        url,
        'grant all on schema public to ROLE; alter role ROLE set default_transaction_read_only = on;',
      ),
    sentence:
      /is read-only: use the address of the primary server, or a user without default_transaction_read_only/,
  },
  {
    name: 'a role without free connections',
    setUp: (superuser, url) => withRole(superuser, url, 'alter role ROLE connection limit 0;'),
    sentence: /has no free connections for this user or database: raise its CONNECTION LIMIT/,
  },
  {
    name: 'an unknown schema in search_path',
    setUp: async (_, url) => withQuery(url, 'options=-c%20search_path%3Dnowhere'),
    sentence: /has no schema for the tables: create the one that search_path names/,
  },
  {
    name: 'a role that may not use the schema',
    setUp: (superuser, url) => withRole(superuser, url, 'revoke usage on schema public from public;'),
    sentence: /has no schema for the tables: .* or grant this user USAGE and CREATE on it/,
  },
  {
    name: 'a statement_timeout that is too short',
    setUp: async (_, url) => withQuery(url, 'statement_timeout=1'),
    sentence: /stopped a statement that took too long for its statement_timeout: raise that of this user/,
  },
  {
    name: 'a database without connections',
    setUp: async (_, url) => Object.assign(new URL(url), { pathname: '/template0' }).href,
    sentence: /doesn’t let anybody connect to this database: use another one/,
  },
  {
    name: 'an unknown setting',
    setUp: async (_, url) => withQuery(url, 'options=-c%20nonsense%3D1'),
    sentence: /answers “unrecognized configuration parameter "nonsense"” \(42704\)/,
  },
  {
    name: 'a socket that isn’t there',
    setUp: async () => 'postgres:///app?host=/nowhere',
    sentence:
      /at \/nowhere has no socket at \/nowhere\/\.s\.PGSQL\.5432 \(ENOENT\): start it, or correct the host/,
  },
  {
    name: 'a host that isn’t known',
    setUp: async (_, url) => Object.assign(new URL(url), { hostname: 'db.invalid' }).href,
    sentence: /db\.invalid:\d+ can’t be found/,
  },
  {
    name: 'no TLS at the server',
    setUp: async (_, url) => withQuery(url, 'sslmode=require'),
    sentence: /doesn’t offer TLS: turn on ssl at the server, or remove sslmode/,
  },
  {
    name: 'a file of an authority that isn’t there',
    setUp: async (_, url) => withQuery(url, 'sslmode=verify-full&sslrootcert=/nowhere.crt'),
    sentence: /can’t be used, because \/nowhere\.crt can’t be opened \(ENOENT\): correct the address/,
  },
  {
    name: 'no password',
    setUp: async (_, url) => Object.assign(new URL(url), { password: '' }).href,
    sentence: /wants a password: add it to the address|rejects the password/,
  },
]

/** What `serve` and `doctor` say about a database. Neither has a stack. */
async function expectSentence(url: string, sentence: RegExp): Promise<void> {
  const error: unknown = await openStore({ url, keys: KEY_A }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  const { text, exitCode } = explainError(error)
  expect(exitCode).toBe(1)
  expect(text).toMatch(sentence)
  expect(text).not.toMatch(/\n +at /)
  const { findings } = await examineDatabase({ databaseUrl: url, encryptionKeys: KEY_A }, new Date())
  expect(findings).toMatchObject([{ state: 'fault', message: expect.stringMatching(sentence) }])
}

it.each(SET_UPS)(
  'the start and the doctor name what is wrong with PostgreSQL: $name',
  async ({ initial, setUp, sentence }) => {
    await using database = await startPostgresDatabase(initial)
    const superuser = new pg.Client({ connectionString: database.url })
    await superuser.connect()
    try {
      await expectSentence(await setUp(superuser, new URL(database.url)), sentence)
    } finally {
      await superuser.end()
    }
  },
)

it.each(['SQL_ASCII', 'LATIN1'])(
  'the start and the doctor refuse a PostgreSQL database with the encoding %s',
  async (encoding) => {
    await using database = await startPostgresDatabase()
    const superuser = new pg.Client({ connectionString: database.url })
    await superuser.connect()
    const url = new URL(database.url)
    url.pathname += `_${encoding.toLowerCase()}`
    const name = url.pathname.slice(1)
    await superuser.query(`create database ${name} template template0 encoding '${encoding}' locale 'C'`)
    try {
      await expectSentence(
        url.href,
        new RegExp(`has the encoding ${encoding}: create one with UTF8 \\(createdb --encoding=UTF8`),
      )
    } finally {
      await superuser.query(`drop database ${name} with (force)`)
      await superuser.end()
    }
  },
)

it('the doctor names what only a running app needs', async () => {
  await using database = await startPostgresDatabase('migrated')
  const superuser = new pg.Client({ connectionString: database.url })
  await superuser.connect()
  try {
    const url = await withRole(
      superuser,
      new URL(database.url),
      'grant all on all tables in schema public to ROLE; revoke insert on process from ROLE;',
    )
    const { findings } = await examineDatabase({ databaseUrl: url, encryptionKeys: KEY_A }, new Date())
    expect(findings).toMatchObject([
      {
        state: 'fault',
        message: expect.stringMatching(
          /^It has tables of another user: .*“permission denied for table process”/,
        ),
      },
    ])
  } finally {
    await superuser.end()
  }
})

/** What PostgreSQL 15 and PgBouncer 1.18 also say (recorded), and our sentence before it. */
it.each([
  ['28P01', 'password authentication failed for user "r"', /rejects the password: correct the user or the/],
  [
    '28000',
    'no pg_hba.conf entry for host "::1", user "r", database "a", no encryption',
    /this user without TLS/,
  ],
  [
    '28000',
    'pg_hba.conf rejects connection for host "::1", user "r", database "a", SSL off',
    /without TLS: add/,
  ],
  [
    '28000',
    'no pg_hba.conf entry for host "::1", user "r", database "a", SSL encryption',
    /rejects this user: corr/,
  ],
  [
    '28000',
    'connection requires a valid client certificate',
    /wants another client certificate.*: .*sslcert=/,
  ],
  [
    '28000',
    'certificate authentication failed for user "r"',
    /wants another client certificate for this user/,
  ],
  ['28000', 'role "r" does not exist', /has no user with that name: create it, or correct the address/],
  ['3D000', 'database "a" does not exist', /has no database with that name: create it/],
  ['42501', 'must be owner of table work', /has tables of another user: make this user their owner/],
  [
    '42501',
    'permission denied for sequence audit_sequence_seq',
    /has tables of another user: make this user/,
  ],
  ['53300', 'sorry, too many clients already', /has no free connections: raise max_connections/],
  ['53100', 'could not extend file "base/1/2": No space left on device', /has no disk space left: free some/],
  [
    '55P03',
    'canceling statement due to lock timeout',
    /another transaction has locked: end that transaction/,
  ],
  ['40P01', 'deadlock detected', /keep locking: start again when there is less load/],
  ['57P03', 'the database system is starting up', /is still starting: try again in a moment/],
  ['57P03', 'the database system is in recovery mode', /is still starting: try again in a moment/],
  ['57P03', 'the database system is shutting down', /is shutting down: start it again/],
  [
    '08P01',
    'unsupported startup parameter: statement_timeout',
    /in PgBouncer, set ignore_startup_parameters/,
  ],
  ['08P01', 'transaction blocks not allowed in statement pooling mode', /statement mode: set pool_mode = tr/],
  ['08P01', 'password authentication failed', /rejects the user or the password: correct the address/],
  ['08P01', 'no such database: a', /has no database with that name: create it/],
  ['08P01', 'database "a" does not exist', /has no database with that name: create it/],
  ['08P01', 'SSL required', /rejects this user without TLS: add sslmode=verify-full/],
  ['08P01', 'query_wait_timeout', /has no free connections: raise PgBouncer’s limits/],
  ['08P01', 'no more connections allowed (max_client_conn)', /no free connections: raise PgBouncer’s limits/],
])(
  'every command says what to do if the server answers %s, “%s”, and quotes it',
  (code, message, sentence) => {
    const { text } = explainError(Object.assign(new Error(message), { severity: 'FATAL', code }))
    expect(text).toMatch(sentence)
    expect(text).toMatch(/^The database /)
    expect(text.endsWith(`. It says “${message}”.`)).toBe(true)
  },
)

describe.skipIf(!hasPgbouncer)('the start and the doctor name why PgBouncer refuses', () => {
  it.each([
    {
      name: 'an unknown database',
      settings: TRANSACTION_MODE,
      path: '/unknown',
      sentence: /answers “bouncer config error” \(08P01\)|has no database with that name/,
    },
    {
      name: 'statement mode',
      settings: { ...TRANSACTION_MODE, pool_mode: 'statement' },
      path: '/app',
      sentence: /is behind a PgBouncer in statement mode: set pool_mode = transaction there/,
    },
    {
      name: 'a setting that only the address has',
      settings: TRANSACTION_MODE,
      path: '/app?options=-c%20search_path%3Dx',
      sentence: /answers “unsupported startup parameter/,
    },
    {
      name: 'a connection without TLS',
      settings: { ...TRANSACTION_MODE, client_tls_sslmode: 'require' },
      path: '/app',
      sentence: /rejects this user without TLS: add sslmode=verify-full to the address/,
    },
  ])('$name', async ({ settings, path, sentence }) => {
    await using database = await startPostgresDatabase()
    using folder = makeFolder()
    // PgBouncer runs as another user.
    chmodSync(folder.path, 0o755)
    writeFileSync(join(folder.path, 'tls.key'), KEY)
    writeFileSync(join(folder.path, 'tls.crt'), CERTIFICATE)
    await using pooler = await startPgbouncer(database.url, {
      ...settings,
      ...('client_tls_sslmode' in settings && {
        client_tls_key_file: join(folder.path, 'tls.key'),
        client_tls_cert_file: join(folder.path, 'tls.crt'),
      }),
    })
    await expectSentence(`${pooler.url.slice(0, -'/app'.length)}${path}`, sentence)
  })
})

/** Listens on loopback until it's disposed of. Returns the port. */
async function listenOn(server: Server) {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** TLS in front of PostgreSQL, as a managed one has it. */
function startTls({ hostname, port }: URL) {
  const secureContext = createSecureContext({ key: KEY, cert: CERTIFICATE })
  return listenOn(
    createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write('S')
        const encrypted = new TLSSocket(socket, { isServer: true, secureContext })
        const backend = connect(Number(port), hostname)
        for (const side of [encrypted, backend]) side.on('error', () => undefined)
        encrypted.pipe(backend).pipe(encrypted)
      })
    }),
  )
}

const NOT_TRUSTED =
  /has a certificate of an authority that this machine doesn’t trust \(DEPTH_ZERO_SELF_SIGNED_CERT\): name a file with the certificate of that authority in NODE_EXTRA_CA_CERTS, or in sslrootcert in the address/

describe('a certificate', () => {
  it.each(['require', 'verify-full'])(
    'of PostgreSQL that isn’t trusted is named as the cause, with sslmode=%s',
    async (mode) => {
      await using database = await startPostgresDatabase()
      const url = new URL(database.url)
      await using tls = await startTls(url)
      Object.assign(url, { hostname: 'localhost', port: String(tls.port) })
      await expectSentence(withQuery(url, `sslmode=${mode}`), NOT_TRUSTED)
    },
  )

  it('of PostgreSQL for another name is named as the cause, and the right one is accepted', async () => {
    await using database = await startPostgresDatabase()
    using folder = makeFolder()
    const authority = join(folder.path, 'authority.crt')
    writeFileSync(authority, CERTIFICATE)
    const url = new URL(database.url)
    await using tls = await startTls(url)
    const query = `sslmode=verify-full&sslrootcert=${authority}`
    Object.assign(url, { hostname: '127.0.0.1', port: String(tls.port) })
    await expectSentence(
      withQuery(url, query),
      /has a certificate for another name .*: use a name from the certificate/,
    )
    url.hostname = 'localhost'
    await (await openStore({ url: withQuery(url, query), keys: KEY_A }))[Symbol.asyncDispose]()
  })

  it('of the service or of Slack that isn’t trusted is named as the cause', async () => {
    await using server = await listenOn(createHttpsServer({ key: KEY, cert: CERTIFICATE }))
    const address = `https://localhost:${server.port}`
    const expected = {
      state: 'fault',
      message: expect.stringContaining('of an authority that this machine doesn’t trust'),
      fix: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    }
    expect(await examineAddress(address)).toMatchObject(expected)
    expect(await examineToken('xoxb-1', `${address}/api/`, 'token')).toMatchObject([expected])
  })

  it('isn’t blamed if the other side doesn’t speak TLS', async () => {
    await using server = await listenOn(
      createServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    )
    expect(await examineAddress(`https://localhost:${server.port}`)).toMatchObject({
      message: expect.stringContaining('doesn’t speak TLS at that port'),
      fix: expect.stringContaining('http:// instead of https://'),
    })
  })
})
