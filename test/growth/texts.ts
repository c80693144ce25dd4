import { TEXT_LIMITS } from '@signalman/runtime'
import { literal, visible } from '@signalman/slack'
import { toAuditJson, toAuditText } from '../../packages/durable/src/audit/row.ts'
import { redactEmailAddresses } from '../../packages/slack/src/blocks/redact-email-addresses.ts'
import { readTextAroundMention } from '../../packages/slack/src/receive/around-mention.ts'
import { parseBody } from '../../packages/slack/src/receive/body.ts'
import { readViewState } from '../../packages/slack/src/receive/view-state.ts'
import { csvText, restoreCell } from '../../src/domain/csv.ts'
import { parseDuration } from '../../src/domain/dates/duration.ts'
import { parseMoment } from '../../src/domain/dates/moment.ts'
import { parsePeriod } from '../../src/domain/dates/period.ts'
import { toZoned } from '../../src/domain/dates/zoned.ts'
import { parseUuid } from '../../src/domain/find-check.ts'
import { toLetters } from '../../src/domain/known-names.ts'
import { globMatcher } from '../../src/domain/name-pattern.ts'
import { containsPrivateKey } from '../../src/domain/private-key.ts'
import { splitWords } from '../../src/domain/quoting.ts'
import { parseRecipients } from '../../src/domain/recipients.ts'
import { cleanTyped } from '../../src/domain/typed-text/clean.ts'
import { emojiFromNames } from '../../src/domain/typed-text/emoji.ts'
import { foldName } from '../../src/domain/typed-text/fold-name.ts'
import { parseAddress, refang } from '../../src/domain/typed-text/typed-address.ts'
import { replaceList } from '../../src/features/alerts/rules/recipient-list.ts'
import { judgeAnswer } from '../../src/features/cert-orders/rules/answer.ts'
import { parseDays } from '../../src/features/cert-orders/rules/durations.ts'
import { parseDomain } from '../../src/features/cert-orders/rules/host-names.ts'
import { cleanToken } from '../../src/features/connection/forms.ts'
import { parseSettings } from '../../src/features/health-checks/rules/fields.ts'
import { findEventIdsInMessage, THREAT_TOPIC } from '../../src/features/threats/event-ids/message-ids.ts'
import { defang, safeUrl } from '../../src/features/threats/rules/defang.ts'
import {
  parseAsNumber,
  parseHost,
  parseIp,
  parseUrl,
  parseUrlHost,
} from '../../src/features/threats/rules/values.ts'
import { FILTER, toFilter, toFilterKey } from '../../src/features/watching/rules/filter-fields.ts'
import { parsePageSteps } from '../../src/features/watching/rules/page-step.ts'
import { parseRunbook } from '../../src/features/watching/rules/runbook.ts'
import { createHostileShapes } from '../hostile-texts.ts'
import { texts, type Work, work } from './grow.ts'

const NOW = toZoned(new Date('2026-11-30T12:00:00Z'), 'Europe/Stockholm')
const UUID = '3f2504e0-4f89-41d3-9a0c-'

const uuid = (nth: number): string => `${UUID}${nth.toString(16).padStart(12, '0')}`
/** Repeats what `write` gives for 0, 1, 2, …, up to a number of characters. */
export function fill(size: number, write: (nth: number) => string): string {
  const parts: string[] = []
  for (let length = 0, nth = 0; length < size; nth += 1) {
    const part = write(nth)
    parts.push(part)
    length += part.length
  }
  return parts.join('').slice(0, size)
}

/** Slack's message nested and full of parts, with so many texts. */
const nested = (depth: number): object =>
  depth === 0 ? { type: 'text', text: uuid(depth) } : { type: 'rich_text', elements: [nested(depth - 1)] }
const blocks = (count: number): Record<string, unknown> => ({
  text: 'x',
  blocks: Array.from({ length: count }, (_, nth) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: `see ${uuid(nth)}` },
  })),
})

/** A refusal is an answer, too. */
function tryTo<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** What reads a text that a person typed, pasted, or posted. */
export const textWorks = (seed: number, everyNth: number): Work[] => {
  const hostile = createHostileShapes(seed, 20, everyNth)
  const read = (
    name: string,
    limit: number,
    run: (text: string) => unknown,
    own: Record<string, (size: number) => string> = {},
  ) => work({ name, limit }, { ...own, ...texts(hostile) }, run)
  const { line, field, message } = TEXT_LIMITS
  return [
    read('the words of a typed line', line, (text) => splitWords(cleanTyped(text))),
    read('a message that mentions the app', message, (text) => readTextAroundMention(text, 'U0APP', false), {
      'mentions of the app': (size) => fill(size, () => '<@U0APP> '),
      'one mention in the middle': (size) => `${'a '.repeat(size / 4)}<@U0APP> ${'b '.repeat(size / 4)}`,
    }),
    read('IDs in a mention', message, (text) => THREAT_TOPIC.parseIds(THREAT_TOPIC.toCommandText(text)), {
      'different IDs': (size) => fill(size, (nth) => `${uuid(nth)} `),
      'labeled links with IDs': (size) => fill(size, (nth) => `<https://a.example/${uuid(nth)}|x> `),
      'beginnings of labeled links': (size) => fill(size, () => '<https://a|'),
    }),
    read('IDs in the text of a message', message, (text) => findEventIdsInMessage({ text }), {
      'different IDs': (size) => fill(size, (nth) => `${uuid(nth)} `),
    }),
    work(
      { name: 'IDs in the blocks of a message', limit: TEXT_LIMITS.messageTexts, unit: 'blocks' },
      {
        'different IDs': blocks,
        'long texts': (size) => ({
          attachments: Array.from({ length: size / 50 }, () => ({ text: fill(4000, (nth) => `a-${nth} `) })),
        }),
        deep: (size) => ({ blocks: Array.from({ length: size / 30 }, () => nested(29)) }),
      },
      findEventIdsInMessage,
    ),
    read('what may be a private key', 128_000, containsPrivateKey),
    read('recipients of an alert', 32 * 1024, parseRecipients, {
      'different addresses': (size) => fill(size, (nth) => `a${nth}@b.example, `),
      'different bad addresses': (size) => fill(size, (nth) => `a${nth}@, `),
    }),
    read(
      'recipients compared with those before',
      field,
      (text) =>
        replaceList(parseRecipients(text).addresses, parseRecipients(text.replaceAll('a', 'b')).addresses),
      {
        'different addresses': (size) => fill(size, (nth) => `a${nth}@b.example\n`),
      },
    ),
    read('allowed domains', field, (text) => text.split(/[\s,;]+/).map(parseDomain), {
      'different domains': (size) => fill(size, (nth) => `a${nth}.example.com\n`),
    }),
    read(
      'the names of a watch',
      field,
      (text) => toFilterKey(toFilter({ name: FILTER.name?.read(text) ?? [] })),
      {
        'different names': (size) => fill(size, (nth) => `web-${nth}*\n`),
      },
    ),
    read('the steps of a watch', field, parsePageSteps, {
      'different steps': (size) => fill(size, (nth) => `${nth}m <@U${nth}>, `),
    }),
    read('the settings of a check', field, (text) =>
      parseSettings({
        name: text,
        target: text,
        protocol: 'HTTPS',
        port: text,
        frequency: text,
        customerId: text,
      }),
    ),
    read('a number of days, a runbook, a UUID, or a token', field, (text) => [
      parseDays(text),
      parseUuid(text),
      tryTo(() => parseRunbook(text)),
      tryTo(() => cleanToken(text)),
    ]),
    read('a value of an event', 4000, (text) =>
      [text, `https://a.example/${text}`].map((value) => [
        parseHost(value),
        parseIp(value),
        parseUrl(value),
        parseUrlHost(value),
        parseAsNumber(value),
      ]),
    ),
    read(
      'the body of a request',
      1 << 20,
      (text) => [
        parseBody('application/json', text),
        parseBody('application/x-www-form-urlencoded', `payload=${text}`),
      ],
      {
        'deep lists': (size) => `{"a":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`,
        'many fields': (size) => fill(size, (nth) => `a${nth}=1&`),
      },
    ),
    work(
      { name: 'the state of a window', limit: 5000, unit: 'fields' },
      {
        'many fields': (size) => ({
          id: 'V1',
          blocks: [],
          state: {
            values: Object.fromEntries(
              Array.from({ length: size }, (_, nth) => [
                `b${nth}`,
                { a: { type: 'plain_text_input', value: 'x' } },
              ]),
            ),
          },
        }),
      },
      readViewState,
    ),
    read('a moment', field, (text) => parseMoment(text, NOW)),
    read('a period', field, (text) => parsePeriod(text, NOW)),
    read('a duration', field, parseDuration),
    read('an address', field, (text) => [refang(text), parseAddress(text)]),
    read('a name, folded', field, (text) => [foldName(text), toLetters(text), emojiFromNames(text)]),
    read('a pattern of names', 4000, (text) => globMatcher(text)('a'.repeat(255)), {
      'stars and letters': (size) => fill(size, () => '*a'),
    }),
    read('a name for a pattern of many stars', field, (text) => globMatcher(`${'*a'.repeat(100)}b`)(text), {
      'one letter': (size) => 'a'.repeat(size),
    }),
    read('a text shown in Slack', message, (text) => [
      visible(text),
      literal(text),
      redactEmailAddresses({ text, blocks: [] }),
    ]),
    read('a text shown defanged', message, (text) => [defang(text), safeUrl(text)]),
    read('a cell of a CSV file', 192 * 1024, (text) => [
      csvText([[text]]),
      restoreCell(text),
      restoreCell(`'${text}`),
    ]),
    read('a value in the audit log', 128_000, (text) => [
      toAuditText(text),
      toAuditJson({ text, list: text.split(' ').slice(0, 5000) }),
    ]),
    read('the service’s answer to an order', 1 << 20, judgeAnswer, {
      'deep objects': (size) => fill(size, () => '{"a":'),
      'many members': (size) => `{${fill(size - 20, (nth) => `"a${nth}":1,`)}"z":1}`,
    }),
  ]
}
