import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fetchOnce } from '@signalman/runtime'
import type { webApi } from '@slack/bolt'
import { createDirectory } from '../../packages/slack/src/client/directory.ts'
import { createFindPosted, messageMetadata } from '../../packages/slack/src/client/find-posted.ts'
import { createHandleFinder } from '../../src/bot/access/actor.ts'
import { findSimilarChecks, MAX_SUGGESTED, mayBeMeant, toKnown } from '../../src/domain/known-names.ts'
import { closestWord } from '../../src/domain/mistyped-word.ts'
import { copyWindow } from '../../src/features/threats/commands/details.ts'
import { buildExport } from '../../src/features/threats/indicators/export.ts'
import { eventForMembers, factsOnly } from '../../src/features/threats/rules/shown-event.ts'
import { buildThreatCard } from '../../src/features/threats/views/card.ts'
import { commentsWindow, detailsWindow, dnsWindow } from '../../src/features/threats/views/windows.ts'
import { decodeAlerts } from '../../src/service/alerts.ts'
import type { Answer, Call } from '../../src/service/call.ts'
import type { Body, Decode } from '../../src/service/decode.ts'
import { decodePage } from '../../src/service/health-checks.ts'
import { SERVICE_LIMITS } from '../../src/service/limits.ts'
import { ParseIssueCollector } from '../../src/service/parse-issues.ts'
import { createRedactor } from '../../src/service/redact.ts'
import { statusError } from '../../src/service/response-errors.ts'
import { decodeEvent, type ThreatEvent } from '../../src/service/threat-event.ts'
import { createThreatEvent } from '../features/threats/events.ts'
import { createHostileShapes } from '../hostile-texts.ts'
import { checks } from './files.ts'
import { texts, type Work, work } from './grow.ts'
import { fill } from './texts.ts'

/** An event of the largest answer. */
export const MAX_RECORDS = 6500
const NOW = new Date('2026-11-30T12:00:00Z')
const ID = '7e57ed00-0000-4000-8000-00000000000a'
const times = <T>(count: number, write: (nth: number) => T): T[] =>
  Array.from({ length: count }, (_, nth) => write(nth))

const decode =
  <T>(read: Decode<T>) =>
  (text: string): T => {
    const body: Body = { bytes: Buffer.from(text), mediaType: 'application/json', text: () => text }
    return read(body, new ParseIssueCollector())
  }

const record = (nth: number) => ({
  ...{
    country_code: 'NL',
    ip: `192.0.${(nth >> 8) % 256}.${nth % 256}`,
    name: `x${nth}.site.example`,
    type: 'A',
  },
  autonomous_system_info: { as_number: String(64_500 + nth), as_organization: `Hosting ${nth}` },
})
/** An event with so many records and comments. */
export const eventOf = (count: number, write: (nth: number) => object = record) => {
  const { observed_data: observed, ...event } = createThreatEvent('site.example')
  return {
    ...event,
    comments: times(count, (nth) => ({
      content: `Seen ${nth} times at https://site.example/${nth}.`,
      date: '2026-11-19T08:00:00.000Z',
    })),
    observed_data: { ...observed, dns_records: times(count, write) },
  }
}
const json = (text: string, size: number): string => `{"data":{"total":1,"results":[${text.slice(0, size)}]}}`
const rawCheck = (nth: number, changed: object = {}): string =>
  `${JSON.stringify({ uuid: `3f2504e0-4f89-41d3-9a0c-${String(nth).padStart(12, '0')}`, name: `web-${nth}`, status: 'HEALTHY', port: 443, ...changed })},`
const list = (size: number, write: (nth: number) => string): string => {
  const rows = fill(size, write)
  return `{"message":"OK","data":{"total":9,"results":[${rows.slice(0, rows.lastIndexOf('},') + 1)}]}}`
}
const readEvent = (count: number, write?: (nth: number) => object): ThreatEvent =>
  decode(decodeEvent(ID))(JSON.stringify(eventOf(count, write)))

const CALL: Call = {
  ...{
    method: 'GET',
    path: '/x',
    route: '/x',
    target: '/x',
    redact: createRedactor('secret-token-1234'),
    holdsTokens: false,
  },
} as unknown as Call
const answer = (text: string): Answer =>
  ({ status: 400, headers: {}, bytes: Buffer.from(text), wasLost: false }) as unknown as Answer

/** A workspace's people and groups, in pages. */
function createDirectoryOf(count: number) {
  const members = times(count, (nth) => ({
    id: `U${nth}`,
    name: `person.${nth}`,
    team_id: 'T1',
    profile: { display_name: `Person ${nth}` },
  }))
  const client = {
    users: {
      list: async ({ cursor = '0' }: { cursor?: string }) => {
        const at = Number(cursor)
        return {
          members: members.slice(at, at + 999),
          response_metadata: { next_cursor: at + 999 < count ? String(at + 999) : '' },
        }
      },
      conversations: async () => ({ channels: [] }),
    },
    usergroups: {
      list: async () => ({
        usergroups: times(count, (nth) => ({ id: `S${nth}`, handle: `group-${nth}`, name: `Group ${nth}` })),
      }),
      users: { list: async () => ({ users: times(count, (nth) => `U${nth}`) }) },
    },
  }
  return createDirectory(client as unknown as webApi.WebClient)
}

function createHistoryOf(count: number) {
  const messages = times(count, (nth) => ({
    ts: `${nth}.0`,
    bot_id: 'B1',
    metadata: messageMetadata(`post-${nth}`),
  }))
  const client = {
    auth: { test: async () => ({ bot_id: 'B1' }) },
    conversations: {
      history: async ({ cursor = '0' }: { cursor?: string }) => ({
        messages: messages.slice(Number(cursor), Number(cursor) + 100),
        response_metadata: { next_cursor: String(Number(cursor) + 100) },
      }),
    },
  }
  return createFindPosted(client as unknown as webApi.WebClient)
}

/** What the service and Slack answer, and names that were mistyped. */
export async function answerWorks(seed: number, everyNth: number): Promise<Work[]> {
  const hostile = createHostileShapes(seed, 20, everyNth)
  const opened = (event: ThreatEvent, page: number) => ({
    id: ID,
    event,
    now: NOW,
    environment: 'production' as const,
    page,
  })
  const events = {
    'DNS records and comments': (count: number) => readEvent(count),
    'equal records': (count: number) => readEvent(count, () => record(1)),
  }
  return [
    work(
      { name: 'a page of health checks', limit: SERVICE_LIMITS.jsonBytes, unit: 'bytes' },
      {
        checks: (size) => list(size, (nth) => rawCheck(nth)),
        'checks with wrong fields': (size) =>
          list(size, (nth) => rawCheck(nth, { port: 'x', name: [], customer_id: {} })),
        'checks with long names': (size) => list(size, (nth) => rawCheck(nth, { name: 'a'.repeat(50_000) })),
        'checks of many members': (size) =>
          list(size, (nth) => rawCheck(nth, Object.fromEntries(times(500, (member) => [`m${member}`, 1])))),
        'deep lists': (size) => json('['.repeat(size), size),
        'deep lists that end': (size) => `{"data":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`,
        'numbers instead of checks': (size) => json('1,'.repeat(size / 2), size - 1),
        'white space': (size) => `${' '.repeat(size)}{}`,
      },
      decode(decodePage),
    ),
    work(
      { name: 'the alerts of a check', limit: SERVICE_LIMITS.jsonBytes, unit: 'bytes' },
      {
        'many alerts': (size) =>
          `{"data":[${fill(size, (nth) => `{"uuid":"a${nth}","type":"EMAIL","recipients":["a@b.example"]},`)}{}]}`,
        'many recipients': (size) =>
          `{"data":[{"uuid":"a","type":"EMAIL","recipients":[${fill(size, (nth) => `"a${nth}@b.example",`)}"z"]}]}`,
      },
      decode(decodeAlerts),
    ),
    work(
      { name: 'a threat event', limit: MAX_RECORDS, unit: 'records' },
      {
        'DNS records and comments': (count) => JSON.stringify(eventOf(count)),
        'records of wrong types': (count) =>
          JSON.stringify(eventOf(count, () => ({ ip: 1, name: [], type: {}, autonomous_system_info: 'x' }))),
      },
      decode(decodeEvent(ID)),
    ),
    work({ name: 'a threat event, shown', limit: MAX_RECORDS, unit: 'records' }, events, async (event) => {
      const shown = eventForMembers(event)
      const options = { id: ID, now: NOW, environment: 'production' as const, controls: [[], []] as const }
      return [
        detailsWindow(shown, options),
        dnsWindow(opened(event, 2)),
        commentsWindow(opened(event, 2)),
        await copyWindow(opened(event, 1), shown),
        await factsOnly(event),
      ]
    }),
    work({ name: 'a threat event as a card', limit: MAX_RECORDS, unit: 'records' }, events, (event) =>
      buildThreatCard(eventForMembers(event), { id: ID, now: NOW, environment: 'production' } as Parameters<
        typeof buildThreatCard
      >[1]),
    ),
    work({ name: 'a threat event, exported', limit: MAX_RECORDS, unit: 'records' }, events, (event) =>
      buildExport(event, { id: ID, now: NOW, format: undefined }),
    ),
    work(
      { name: 'an error of the service', limit: 1 << 20, unit: 'bytes' },
      {
        'many errors': (size) => `{"errors":[${fill(size, (nth) => `{"code":"X${nth}","message":"m"},`)}{}]}`,
        'many fields with many problems': (size) =>
          `{"errors":{${fill(size, (nth) => `"f${nth}":["a","b"],`)}"z":[]}}`,
        'a field with many problems': (size) => `{"errors":[{"f":[${fill(size, () => '"a",')}"z"]}]}`,
        'the token': (size) => fill(size, () => 'secret-token-1234'),
        'almost the token': (size) => `\\${fill(size, () => 'secret-token-12')}`,
        'deep lists': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
        ...texts(hostile, (text) => JSON.stringify({ errors: [{ code: 'A', message: text }] })),
      },
      (text) => statusError(CALL, answer(text)),
    ),
    work(
      { name: 'the people of a workspace', limit: 19_000, unit: 'people' },
      { people: createDirectoryOf },
      async (directory) => {
        for await (const _ of directory.members());
        return directory.admins(20)
      },
    ),
    work(
      { name: 'a handle among people and groups', limit: 19_000, unit: 'people' },
      { people: createDirectoryOf },
      async (directory) => (await createHandleFinder(directory))('nobody-has-this'),
    ),
    work(
      { name: 'the history of a channel', limit: 1000, unit: 'messages' },
      { posts: createHistoryOf },
      (find) => find({ channelId: 'C1' }, { postId: 'none', since: NOW }),
    ),
    work(
      { name: 'a mistyped name among all checks', limit: 10_000, unit: 'checks' },
      {
        'ordinary names': (count) => checks(count),
        'names of 255 letters': (count) => checks(count, (nth) => `${nth}`.padEnd(255, 'a b ')),
        'names with accents': (count) => checks(count, (nth) => `übersicht ${nth} é`.padEnd(60, 'é')),
        'equal names': (count) => checks(count, () => 'storefront'),
      },
      (all) => findSimilarChecks(all, 'storefornt 17 eu-wset'),
    ),
    work({ name: 'a mistyped name, however long', limit: 4000 }, texts(hostile), (text) => {
      const known = checks(MAX_SUGGESTED).map(toKnown)
      return [
        closestWord(text, ['list', 'watch', 'maintenance']),
        known.filter((each) => mayBeMeant(each, text)),
      ]
    }),
    await proxyWork(hostile),
  ]
}

/** What a proxy says to a request for a tunnel: in its status, its headers, and behind them. More than this is refused. */
async function proxyWork(hostile: Parameters<typeof texts>[0]): Promise<Work> {
  let answer = ''
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(answer))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const shapes = {
    ...texts(hostile, (text) => `HTTP/1.1 502 ${text}\r\n\r\n${text}`),
    'many headers': (size: number) => `HTTP/1.1 200 OK\r\n${fill(size, (nth) => `a${nth}: b\r\n`)}\r\n`,
    'one long header': (size: number) => `HTTP/1.1 200 OK\r\na: ${'b'.repeat(size)}\r\n\r\n`,
    'a page': (size: number) => `HTTP/1.1 407 Sign in\r\n\r\n${fill(size, (nth) => `<p>${nth}`)}`,
  }
  const ask = async (text: string): Promise<unknown> => {
    answer = text
    process.env.HTTPS_PROXY = `http://127.0.0.1:${port}`
    try {
      return await fetchOnce('https://service.example.com').catch((error: unknown) => error)
    } finally {
      delete process.env.HTTPS_PROXY
    }
  }
  return {
    ...work({ name: 'what a proxy answers', limit: 1 << 14 }, shapes, ask),
    close: async () => void server.close(),
  }
}
