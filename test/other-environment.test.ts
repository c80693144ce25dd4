import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { ENVIRONMENTS, type Environment } from '../src/domain/environment.ts'
import { EVERYONE } from '../src/domain/roles.ts'
import { readCsr } from '../src/features/cert-orders/rules/csr/csr.ts'
import { accountFromToken } from '../src/service/service.ts'
import { EXPECTED_VERBS, THREAT } from './bot/access/expected-rights.ts'
import { startStubbedApp } from './bot/access/slack-stub.ts'
import { KEY_A, startSqliteFile } from './databases/databases.ts'
import { makeCsr } from './features/cert-orders/csr/make-csr.ts'
import { storeOrder } from './features/cert-orders/order-process.ts'
import { createThreatEvent } from './features/threats/events.ts'
import { addGrant } from './give-role.ts'
import { eitherOf } from './long.ts'
import { createSandboxControl } from './sandbox-control.ts'
import { createActor } from './views/actor.ts'
import {
  SAMPLE_CHANNEL,
  SAMPLE_PERSON,
  SAMPLE_TOKEN,
  SAMPLE_WORKSPACE,
  SLACK_ANSWERS,
} from './views/sample-data.ts'
import { saveConnection, setEnvironment } from './write-store.ts'

/** Two people, because nobody approves their own order. */
const REQUESTER = 'U0SAMPLE01'
const PERSON = 'U0SAMPLE02'
const NEVER_MS = 24 * 60 * 60_000

/** A word in every name, address, and text of an environment, and in nothing of the other one. */
const MARKS: Readonly<Record<Environment, string>> = { production: 'walrus', ote: 'indigo' }

/** How a line comes to be about an environment: the channel's, and what is typed. */
const WAYS = [
  { about: 'ote', channel: 'production', typed: ' --env ote' },
  { about: 'ote', channel: 'ote', typed: '' },
  { about: 'production', channel: 'ote', typed: ' --env production' },
  { about: 'production', channel: 'production', typed: '' },
] as const

/** Lines that would end the access to what the other lines are about. */
const LAST = ['/hc disconnect', '/hc env']

/** Lines that list what there is in every environment, and say of each which it is. */
const LISTS_BOTH = /(?:^|: )\/hc (?:watches|audit)\b/

/** The lines of a message that show something as if it were of another environment. */
function findUnnamed(message: string): string[] {
  return message.split('\n').filter((line) => {
    const isOte = line.includes(MARKS.ote)
    return (isOte || line.includes(MARKS.production)) && isOte !== line.includes('(OTE)')
  })
}

/** Everything in the database that belongs to an environment. */
function readRows(file: string, environment: Environment): unknown {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const tables = database
      .prepare(
        `select m.name from sqlite_master m, pragma_table_info(m.name) c
          where m.type = 'table' and c.name = 'environment' and m.name not in ('channel', 'watch_poll', 'watch_observed')`,
      )
      .all()
      .map(({ name }) => String(name))
    return Object.fromEntries(
      tables.map((table) => [
        table,
        database.prepare(`select * from ${table} where environment = ?`).all(environment),
      ]),
    )
  } finally {
    database.close()
  }
}

async function startBoth(file: { url: string }) {
  const people = [REQUESTER, PERSON].map((userId) => ({ userId, slack: SAMPLE_PERSON }))
  const stubbed = await startStubbedApp(people, {
    environment: { API_OTE_TOKEN: SAMPLE_TOKEN, DATABASE_URL: file.url, ENCRYPTION_KEYS: KEY_A },
    sandbox: { token: SAMPLE_TOKEN },
    answers: SLACK_ANSWERS,
    watchEveryMs: NEVER_MS,
  })
  const { app, sandbox } = stubbed
  const services = {
    production: createSandboxControl(sandbox),
    ote: createSandboxControl({ ...sandbox, productionUrl: sandbox.oteUrl }),
  }
  for (const role of ['operator', 'approver', 'admin'] as const)
    await addGrant(app.store, SAMPLE_WORKSPACE, role, EVERYONE, REQUESTER, new Date())
  const actor = createActor(stubbed, '')
  for (const environment of ENVIRONMENTS) {
    const mark = MARKS[environment]
    const service = services[environment]
    for (const name of ['shop', `${mark} db`])
      await service.addCheck({ name, target: `${mark}.example.com`, alerts: [[`${mark}@example.com`]] })
    await service.storeThreat(THREAT, createThreatEvent(`${mark}.example`))
    await saveConnection(app.store, {
      ...{ workspaceId: SAMPLE_WORKSPACE, environment, token: SAMPLE_TOKEN },
      ...{ userId: REQUESTER, now: new Date() },
    })
    const read = readCsr(makeCsr({ commonName: `${mark}.example.com`, names: [`${mark}.example.com`] }).pem)
    if ('problem' in read) throw new Error(read.problem)
    const { pem, ...csr } = read.csr
    const request = {
      ...{ action: 'create' as const, productId: '101', csr: pem, duration: '1 year' },
      ...{ validationMethod: 'VALIDATE_DNS', webServer: 'others' },
    }
    await storeOrder(
      app.store,
      { environment, request, csr, names: { product: 'Domain validated' } },
      { workspaceId: SAMPLE_WORKSPACE, requesterId: REQUESTER, account: accountFromToken(SAMPLE_TOKEN) },
    )
    for (const line of [
      'watch shop',
      `watch "${mark} db"`,
      `maintenance "${mark} db" tomorrow 22:00 2h ${mark}`,
      `mute shop 2h ${mark}`,
    ])
      await actor.type(PERSON, `/hc ${line} --env ${environment}`)
    await actor.type(PERSON, `/threat note ${THREAT} ${mark} --env ${environment}`)
  }
  return { stubbed, actor, services }
}

describe.each(eitherOf(WAYS))('about $about, in a channel of $channel', ({ about, channel, typed }) => {
  it('no line, window, or button changes or shows anything of the other environment', async () => {
    await using sqlite = await startSqliteFile()
    const { stubbed, actor, services } = await startBoth(sqlite)
    await using _ = stubbed
    const { app, slack } = stubbed
    const other = about === 'ote' ? 'production' : 'ote'
    const resetChannel = () => setEnvironment(app.store, SAMPLE_WORKSPACE, SAMPLE_CHANNEL, channel)
    await resetChannel()
    await services[other].clearRequests()
    const before = readRows(sqlite.file, other)
    const faults: string[] = []
    let callsRead = slack.calls.length

    async function look(cause: string): Promise<void> {
      const requests = (await services[other].requests()).map(({ method, path }) => `${method} ${path}`)
      const shown = slack.calls
        .slice(callsRead)
        .flatMap(({ body }) =>
          LISTS_BOTH.test(cause) ? findUnnamed(String(body.text)) : [JSON.stringify(body)],
        )
      callsRead = slack.calls.length
      if (requests.length > 0) faults.push(`${cause} → ${requests.join(', ')}`)
      for (const text of shown) {
        const at = text.indexOf(MARKS[other])
        if (at >= 0) faults.push(`${cause} shows ${text.slice(Math.max(0, at - 120), at + 80)}`)
      }
      await services[other].clearRequests()
      await resetChannel()
    }

    const number = about === 'production' ? '1' : '2'
    const lines = [...EXPECTED_VERBS].map(([line, expected]) => {
      const words = line.startsWith('/cert-order') ? expected.typed.replace(/^1/, number) : expected.typed
      return `${line} ${words}`.trim() + typed
    })
    const isLast = (line: string) => LAST.some((verb) => line.startsWith(verb))
    for (const line of lines.filter((line) => !isLast(line))) {
      await actor.type(PERSON, line)
      await look(line)
    }
    await actor.pressAll({
      // A button that names the other environment says so to whoever presses it.
      lines: (line) => !line.includes(`--env ${other}`) && !isLast(line),
      afterEach: look,
    })
    for (const line of lines.filter(isLast)) {
      await actor.type(PERSON, line)
      await look(line)
    }
    expect(faults).toEqual([])
    expect(readRows(sqlite.file, other)).toEqual(before)
    expect(actor.verbs.size).toBeGreaterThan(EXPECTED_VERBS.size)
  })
})
