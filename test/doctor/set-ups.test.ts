import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
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
    sentence: /answers “permission denied for schema public” \(42501\)/,
  },
  {
    name: 'tables of another user',
    initial: 'migrated',
    setUp: (superuser, url) => withRole(superuser, url, 'grant all on schema public to ROLE;'),
    sentence: /answers “permission denied for table \w+” \(42501\)/,
  },
  {
    name: 'a role that only reads',
    setUp: (superuser, url) =>
      withRole(
        superuser,
        url,
        'grant all on schema public to ROLE; alter role ROLE set default_transaction_read_only = on;',
      ),
    sentence: /answers “cannot execute .* in a read-only transaction” \(25006\)/,
  },
  {
    name: 'an unknown schema in search_path',
    setUp: async (_, url) => withQuery(url, 'options=-c%20search_path%3Dnowhere'),
    sentence: /answers “no schema has been selected to create in” \(3F000\)/,
  },
  {
    name: 'a statement_timeout that is too short',
    setUp: async (_, url) => withQuery(url, 'statement_timeout=1'),
    // PostgreSQL calls it a request of the user if its next statement has begun when the timeout is handled.
    sentence: /answers “canceling statement due to (?:statement timeout|user request)” \(57014\)/,
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
    sentence: /can’t be used: “The server does not support SSL connections”/,
  },
  {
    name: 'a file of an authority that isn’t there',
    setUp: async (_, url) => withQuery(url, 'sslmode=verify-full&sslrootcert=/nowhere.crt'),
    sentence: /can’t be used, because \/nowhere\.crt can’t be opened \(ENOENT\): correct the address/,
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
        message: expect.stringMatching(/^It answers “permission denied for table process”/),
      },
    ])
  } finally {
    await superuser.end()
  }
})

it('every command quotes a server that isn’t ready, or refuses', () => {
  const answer = { severity: 'FATAL', code: '57P03' }
  const { text } = explainError(Object.assign(new Error('the database system is starting up'), answer))
  expect(text).toBe('The database answers “the database system is starting up” (57P03).')
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
