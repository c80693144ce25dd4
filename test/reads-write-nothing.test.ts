import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { Verb } from '../src/bot/routes/routes.ts'
import { SHARED_DATABASES } from './databases/databases.ts'
import { makeCsr } from './features/cert-orders/csr/make-csr.ts'
import { createThreatEvent } from './features/threats/events.ts'
import { eitherOf, quickOrLong } from './long.ts'
import { startWorld, WORKSPACE, type World } from './world.ts'

const THREAT = '7e57ed00-0000-4000-8000-00000000000a'
const CHECKS = Array.from({ length: 20 }, (_, index) => ({
  name: `web-${index}`,
  alerts: [['ann@example.com']],
}))

/** Changes with every write to the database. Has the row count of each table, and on PostgreSQL a hash of its row versions. */
type Snapshot = Readonly<Record<string, unknown>>

/** Opens a separate connection to the database, which reads snapshots. */
async function openSnapshots(url: string) {
  if (url.startsWith('sqlite:')) {
    const raw = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true })
    const queryAll = (statement: string) => raw.prepare(statement).all()
    return {
      async read(): Promise<Snapshot> {
        const tables = queryAll("select name from sqlite_master where type = 'table'").map(({ name }) =>
          String(name),
        )
        const rows = tables.map((name) => [name, queryAll(`select count(*) as n from ${name}`)[0]?.n])
        // `data_version` changes with every commit on another connection.
        return { ...Object.fromEntries(rows), commits: queryAll('pragma data_version')[0]?.data_version }
      },
      [Symbol.asyncDispose]: async () => raw.close(),
    }
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    async read(): Promise<Snapshot> {
      const { rows: tables } = await client.query(
        `select relname as tablename from pg_class
         where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
      )
      const entries: [string, unknown][] = []
      for (const { tablename } of tables) {
        // The position of each row, and the ID of the transaction that wrote it. Both change when the row changes.
        const { rows } = await client.query(
          `select count(*) as n, md5(string_agg(tableoid::text || ctid::text || xmin::text, ' ' order by tableoid, ctid)) as rows from ${tablename}`,
        )
        entries.push([tablename, rows[0]])
      }
      return Object.fromEntries(entries)
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** Arguments for verbs that need an object. */
function chooseArguments({ command, verb }: Verb, uuid: string): string {
  if (command === 'threat') return THREAT
  const words: Record<string, string> = {
    '/hc list': 'web-* --status HEALTHY',
    '/hc show': uuid,
    '/hc edit': uuid,
    '/hc delete': uuid,
    '/hc alerts': uuid,
    '/hc alert-add': uuid,
    '/hc alert-edit': `${uuid} 1`,
    '/hc alert-remove': `${uuid} 1`,
    '/hc mute': uuid,
    '/hc watches': '--all',
    '/hc history': `${uuid} 30d`,
    '/cert-order renew': '4711',
    '/cert-order reissue': '4711',
    '/cert-order resolve': '1 failed',
    '/cert-order withdraw': '',
  }
  return words[`/${command} ${verb}`] ?? (command === 'cert-order' ? '1' : '')
}

async function startReadWorld(databaseUrl: string, keys: string) {
  // The clock is stopped, so that background work such as the first sweep after a minute doesn't run.
  const now = new Date()
  const world = await startWorld({
    guests: 'can-view',
    checks: CHECKS,
    environment: { DATABASE_URL: databaseUrl, ENCRYPTION_KEYS: keys },
    now: () => now,
    // A heartbeat would be a write, so none is due during the test.
    workTimes: { heartbeatMs: 2 ** 30 },
  })
  await world.service.storeThreat(THREAT, { ...createThreatEvent('site.example'), id: THREAT })
  const uuid = (await world.service.checksNamed('web-7'))[0]?.uuid ?? ''
  return { world, uuid }
}

/** Creates an order that waits for approval, and waits until everyone was notified. */
async function placeOrder({ slack: { member }, app }: World): Promise<void> {
  const { pem } = makeCsr()
  // A modal may open with a placeholder.
  await member.command('/cert-order', '', { until: ({ view }) => Boolean(view?.view.submit) })
  const csr = { 'Certificate signing request (CSR)': pem }
  await member.submit({ Product: '101', Duration: '1 year', ...csr }, { until: 'is waiting for approval' })
  await member.close({ all: true })
  const [{ id } = { id: '' }] = await app.store.orders.list({
    workspaceId: WORKSPACE,
    environment: 'production',
    limit: 1,
  })
  const countCards = async () => (await app.store.orders.get(id))?.cards.length
  await expect.poll(countCards).toBeGreaterThan(0)
  await expect.poll(async () => (await app.store.work.listLeases()).length).toBe(0)
}

/** All requests that only read: commands, buttons, menus, App Home, and modals. */
function listReads(world: World, uuid: string): (() => Promise<unknown>)[] {
  const { member } = world.slack
  const sendCommand = async (line: string) => {
    const [command = '', ...words] = line.split(' ')
    const answer = await member.command(command, words.join(' '))
    if (answer.view) await member.close({ all: true })
    return answer
  }
  const isRead = ({ command, declared }: Verb) => command !== 'threat' && declared.isAct !== true
  const lines = world.app.routes.verbs.filter(isRead).map((verb) => {
    const words = chooseArguments(verb, uuid)
    return `/${verb.command} ${verb.verb} ${words}`.replace(/ +/g, ' ').trim()
  })
  const long = `list ${'x'.repeat(2500)}`
  return [
    ...lines.map((line) => () => sendCommand(line)),
    async () => member.click((await sendCommand('/hc list')).message, 'Next', { until: 'page 2 of 2' }),
    async () => member.click((await sendCommand('/hc')).message, 'Refresh'),
    async () => member.click((await sendCommand(`/hc show ${uuid}`)).message, 'Details'),
    async () => member.choose((await sendCommand('/hc list')).message, 'Open a check…', 'web-3'),
    async () => member.click((await sendCommand(`/hc show ${uuid}`)).message, 'Alerts…'),
    async () => {
      await member.click((await sendCommand(`/hc show ${uuid}`)).message, 'Edit', {
        until: 'Edit health check',
      })
      await member.close({ all: true })
    },
    async () => {
      const home = await member.openHome()
      await member.click(home.home, 'List', { until: 'page 1 of 2' })
      await member.click(await member.view(), 'Next')
      await member.close({ all: true })
    },
    () => sendCommand('/hc lsit'),
    // Nearly a line that opens a window, which opens at once.
    ...[
      '/hc change web-7',
      '/hc remove web-7',
      '/hc add portal https://portal.example.com',
      '/cert-order order shop.example.com',
    ].map((line) => async () => expect((await sendCommand(line)).view, line).toBeDefined()),
    () => sendCommand(`/hc ${long}`),
    async () => (await member.say('<@U0PLAYGBOT> hc list', { channel: 'general' })).answer(),
  ]
}

describe.each(eitherOf(SHARED_DATABASES))('reads on $name', ({ start }) => {
  it('add no rows and no commits', async () => {
    await using database = await start()
    const { world, uuid } = await startReadWorld(database.url, database.keys)
    await using _world = world
    await placeOrder(world)
    const reads = listReads(world, uuid)
    // Send the last two beforehand, because the app stores a line that is too long for Slack when it's first sent.
    for (const read of reads.slice(-2)) await read()
    await using snapshots = await openSnapshots(database.url)
    const before = await snapshots.read()
    const times = quickOrLong('READ_TIMES', { quick: 1, long: 10 })
    const repeatedReads = Array.from({ length: times }, () => reads).flat()
    for (const [count, read] of repeatedReads.entries()) {
      await read()
      expect({ count, ...(await snapshots.read()) }).toEqual({ count, ...before })
    }
    expect(world.log.filter((line) => line.includes('"level":50'))).toEqual([])
  })

  it('write only to the audit log when a threat event is read again or a request is refused', async () => {
    await using database = await start()
    const { world } = await startReadWorld(database.url, database.keys)
    await using _world = world
    const { member } = world.slack
    const guest = world.slack.user('U0GUEST001')
    await using snapshots = await openSnapshots(database.url)
    const readSnapshot = async () => {
      const { audit_entry, commits, ...rest } = await snapshots.read()
      return rest
    }
    await member.command('/threat', THREAT)
    const before = await readSnapshot()
    for (const verb of world.app.routes.verbs) {
      if (verb.command !== 'threat' || verb.mayChange) continue
      const { view } = await member.command('/threat', `${verb.verb} ${THREAT}`.trim())
      if (view) await member.close({ all: true })
      expect(await readSnapshot()).toEqual(before)
    }
    expect((await guest.command('/hc', 'create')).text).toContain('Guests can’t use this')
    expect(await readSnapshot()).toEqual(before)
    const rows = await world.app.store.audit.search({ workspaceId: 'T0PLAYGRND', limit: 100 })
    expect(rows.map(({ verb, outcome }) => `${outcome} ${verb}`)).toEqual([
      'refused /hc create',
      ...['copy', 'whois', 'comments', 'dns', 'details'].map((verb) => `done /threat ${verb}`),
      'done /threat',
      'done /threat',
    ])
  })
})
