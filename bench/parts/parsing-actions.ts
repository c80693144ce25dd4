import { createSign, generateKeyPairSync } from 'node:crypto'
import { runInSlices, TEXT_LIMITS } from '@signalman/runtime'
import { parseBody } from '@signalman/slack'
import { readCsrFile } from '../../src/features/cert-orders/rules/csr/csr.ts'
import { listOrderEntries } from '../../src/features/cert-orders/views/entries.ts'
import { readFile } from '../../src/features/health-checks/files/read-file.ts'
import { eventForMembers } from '../../src/features/threats/rules/shown-event.ts'
import { buildThreatCard } from '../../src/features/threats/views/card.ts'
import { cardView } from '../../src/features/threats/views/card-message.ts'
import { detailsWindow } from '../../src/features/threats/views/windows.ts'
import { watchRenderer } from '../../src/features/watching/renderer.ts'
import type { CardWithIncidents, ListedIncident } from '../../src/features/watching/rules/card.ts'
import { cardModel } from '../../src/features/watching/rules/describe-card.ts'
import { decodePage } from '../../src/service/health-checks.ts'
import { ParseIssueCollector } from '../../src/service/parse-issues.ts'
import { decodeEvent } from '../../src/service/threat-event.ts'
import { decodeActiveTokens } from '../../src/service/tokens.ts'
import { checkRows } from './checks.ts'

/** A card with this many incidents. Half of them are up. */
function createLargeCard(count: number): CardWithIncidents {
  const incidents = checkRows(count).map(({ uuid, name }, index): ListedIncident => {
    const at = { at: new Date(index), clockMs: 0 }
    const isDown = index % 2 === 1
    return {
      id: uuid,
      check: { uuid, name, target: `https://host-${index % 1000}.example.com/` },
      ...{ isDown, badPolls: 1, countedPoll: 1, falls: 1, isBaseline: false, openedAt: at.at, fell: at },
      up: isDown
        ? undefined
        : { at: new Date(count + index), clockMs: 0, quietSinceMs: 0, isInstalling: false },
      paged: {},
      isSilenced: false,
    }
  })
  const at = new Date(count)
  return {
    card: {
      ...{
        id: 'card',
        environment: 'production',
        channelId: 'C1',
        kind: 'card',
        openedAt: at,
        changedAt: at,
      },
      ...{ version: 1, content: '', moved: {}, unwatchedCount: 0 },
    },
    version: 1,
    incidents,
    movedTo: [],
  }
}

const createContext = () => ({ redact: (text: string): string => text, issues: new ParseIssueCollector() })

/** Actions that each parse one kind of input at its maximum accepted size. */
export function createParsingActions(): readonly (readonly [
  title: string,
  run: () => Promise<unknown> | unknown,
])[] {
  const csr = largeCsr(TEXT_LIMITS.csrNames)
  const page = JSON.stringify({ data: { total: 500, limit: 500, offset: 0, results: checkRows(500) } })
  const comments = { comments: Array.from({ length: 50_000 }, () => ({ content: 'seen' })) }
  const whois = { observed_data: { whois: { owner_name: 'x<!here> '.repeat(250_000) } } }
  const tokens = {
    data: Array.from({ length: 12_000 }, (_, index) => ({
      data: `token ${index}`.padEnd(40, '-'),
      created_at: '2026-01-02 03:04:05',
    })),
  }
  const brackets = Buffer.from(`{"comments":[${'[],'.repeat(349_000)}[]]}`)
  const keys = Buffer.from(
    JSON.stringify(Object.fromEntries(Array.from({ length: 75_000 }, (_, index) => [`k${index}`, 1]))),
  )
  const tokenText = JSON.stringify(tokens)
  const form = Buffer.from(
    `payload=${encodeURIComponent(JSON.stringify({ type: 'view_submission', text: 'ж"'.repeat(300_000) }))}`,
  )
  const file = createImportFile(50_000)
  return [
    ['a CSR with the maximum number of names, parsed and formatted', () => formatCsr(csr)],
    [
      'a card of 5,000 checks, formatted',
      () =>
        runInSlices(cardModel(createLargeCard(5000), { now: { at: new Date(), clockMs: 0 } })).then(
          watchRenderer.card,
        ),
    ],
    ['a page of 500 checks', () => decodePage(page, createContext())],
    ['a threat event with 50,000 comments, parsed and formatted', createEventFormatter(comments)],
    ['a threat event with 2 MB of WHOIS, parsed and formatted', createEventFormatter(whois)],
    ['12,000 tokens', () => decodeActiveTokens(tokenText, createContext())],
    ['1 MB of brackets', () => decodeUnlessExpensive(brackets)],
    ['1 MB of keys', () => decodeUnlessExpensive(keys)],
    [
      `a submitted form of ${Math.round(form.length / 1_000_000)} MB`,
      () => parseBody('application/x-www-form-urlencoded', form),
    ],
    ['a file of 50,000 health checks', () => readFile(file)],
  ]
}

const DETAILS_OPTIONS = { environment: 'production', picture: undefined, controls: [[], []] } as const

/** Skips responses that would block the event loop for too long, like the app does. */
const decodeUnlessExpensive = (bytes: Buffer): unknown => decodeEvent(bytes.toString(), createContext())

async function formatCsr(bytes: Buffer): Promise<unknown> {
  const result = await readCsrFile(bytes)
  if ('problem' in result) throw new Error(result.problem)
  const { pem, ...csr } = result.csr
  return listOrderEntries({
    content: { request: { action: 'create', csr: pem, duration: '1 year' }, csr, names: {}, expiresAt: '' },
  })
}

function createEventFormatter(event: object): () => unknown {
  const bytes = Buffer.from(JSON.stringify({ id: 'x', domain: 'a.example', ...event }))
  const frame = { id: 'x', readAt: new Date(), now: new Date(), origin: 'https://api.example' }
  return async () => {
    const shown = await eventForMembers(decodeEvent(bytes.toString(), createContext()))
    const card = buildThreatCard(shown, frame)
    return [
      cardView({ card, buttons: [] }, { environment: 'production' }),
      detailsWindow(shown, { ...frame, ...DETAILS_OPTIONS }),
    ]
  }
}

function createImportFile(rows: number): Buffer {
  const lines = Array.from(
    { length: rows },
    (_, index) => `shop ${index},${40_000 + index},HTTPS,shop-${index}.example.com,443,60`,
  )
  return Buffer.from(`name,customer_id,protocol,target,port,frequency\n${lines.join('\n')}\n`)
}

/** Builds a CSR with this many three-character names. Each takes only 5 bytes, so that many fit. */
export function largeCsr(names: number): Buffer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const list = Buffer.concat(
    Array.from({ length: names }, (_, index) => der(0x82, Buffer.from(index.toString(36).padStart(3, '0')))),
  )
  // The object IDs below are subjectAltName, extensionRequest, and ECDSA with SHA-256.
  const extension = der(0x30, der(0x06, Buffer.from('551d11', 'hex')), der(0x04, der(0x30, list)))
  const attribute = der(
    0x30,
    der(0x06, Buffer.from('2a864886f70d01090e', 'hex')),
    der(0x31, der(0x30, extension)),
  )
  const key = publicKey.export({ type: 'spki', format: 'der' })
  const signed = der(0x30, der(0x02, Buffer.from([0])), der(0x30), key, der(0xa0, attribute))
  const signature = createSign('sha256').update(signed).sign(privateKey)
  const algorithm = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  return der(0x30, signed, algorithm, der(0x03, Buffer.from([0]), signature))
}

/** Encodes an element in DER, with a length of up to 3 bytes. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const head = Buffer.alloc(5)
  head.writeUInt8(tag, 0)
  head.writeUInt8(0x83, 1)
  head.writeUIntBE(length, 2, 3)
  return Buffer.concat([head, content])
}
