import { open } from 'node:fs/promises'
import { type ObserveCall, observed } from '@signalman/runtime'
import { message, paragraph, richText, type SlackClients, words } from '@signalman/slack'
import type { AnchorTarget } from '../../domain/audit-anchor.ts'

/** Puts one record where nobody with the database alone can change it. Throws when that did not take it. */
export type PutRecord = (text: string) => Promise<void>

const WAITS_MS = 10_000
const ANCHOR = { to: 'anchor', method: 'POST' } as const

export function createPutRecord(
  target: AnchorTarget,
  clients: Pick<SlackClients, 'of'>,
  observe?: ObserveCall | undefined,
): PutRecord {
  switch (target.kind) {
    case 'file':
      return (text) => append(target.path, text)
    case 'https':
      return (text) =>
        observed(
          observe,
          ANCHOR,
          () => send(target.url, text),
          () => 'refused',
        )
    case 'slack':
      return async (text) => {
        const client = await clients.of({ workspaceId: target.workspaceId ?? '' })
        await client.post({ channelId: target.channelId }, recordMessage(text))
      }
  }
}

/** On disk before this returns. The file is only ever added to. */
async function append(path: string, text: string): Promise<void> {
  await using file = await open(path, 'a', 0o600)
  await file.write(`${text}\n`)
  await file.sync()
}

async function send(url: string, text: string): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: `${text}\n`,
    redirect: 'error',
    signal: AbortSignal.timeout(WAITS_MS),
  })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`The audit anchor answered ${answer.status}.`)
}

const INTRODUCTION =
  'The end of the audit log, signed. Keep this message: “signalman audit verify --anchor FILE” reads it, copied into a file.'

const recordMessage = (text: string) =>
  message(
    `${INTRODUCTION}\n${text}`,
    richText(paragraph(words(INTRODUCTION)), {
      type: 'rich_text_preformatted',
      elements: [{ type: 'text', text }],
    }),
  )
