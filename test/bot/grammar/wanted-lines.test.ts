import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { requestOrder } from '../../../src/demo/order.ts'
import type { CheckSeed } from '../../sandbox-control.ts'
import { startWorld } from '../../world.ts'

/**
 * Lines that people type, what each should do, and the start or a part of its answer. What they should do was written down before
 * the grammar was: `run` and the verb with its values, `offer` and the line of a button, `ask`, or `refuse`.
 */
const LINES = readFileSync(join(import.meta.dirname, 'wanted-lines.tsv'), 'utf8')
  .split('\n')
  .slice(1)
  .filter(Boolean)
  .map((row) => {
    const [typed = '', wanted = '', answer = ''] = row.split('\t')
    return { typed, wanted, answer: new RegExp(answer, 'm') }
  })

const CHECKS: readonly CheckSeed[] = [
  {
    name: 'Shop checkout',
    status: 'HEALTHY',
    target: 'https://checkout.example.com/health',
    customer_id: 1100,
    alerts: [['oncall@example.com']],
  },
  { name: 'Shop cache', status: 'HEALTHY', protocol: 'TCP', target: 'cache.example.com', port: 6379 },
  { name: 'Shop test', status: 'HEALTHY', protocol: 'HTTP', target: 'http://test.example.com/' },
  { name: 'Bank open API', status: 'HEALTHY', target: 'https://bank.example.com/api' },
  {
    name: 'Group wiki',
    status: 'HEALTHY',
    target: 'https://wiki.example.com/',
    alerts: [['ann@example.com']],
  },
  { name: 'Outlet stock feed', status: 'UNHEALTHY', target: 'https://outlet.example.com/feed' },
]

/** The people in the lines, and those of the local Slack. */
const PEOPLE: Readonly<Record<string, string>> = {
  U0BEA: 'U0ADMIN001',
  U0LEE: 'U0ADMIN001',
  U0BOB: 'U0ADMIN001',
  U0ANN: 'U0MEMBER01',
}

it('answers each line that people type with what they mean', async () => {
  await using world = await startWorld({ checks: CHECKS })
  const { member } = world.slack
  await requestOrder(world.slack.admin)
  const wrong: string[] = []
  for (const { typed, wanted, answer } of LINES) {
    const line = typed.replace(/U0[A-Z]{3}(?=\|)/g, (id) => PEOPLE[id] ?? id)
    const [command = '', ...words] = line.split(' ')
    // A job that was started before may post its own message in between.
    const { text, view } = await member
      .command(command, words.join(' '), {
        channel: 'operations',
        until: answer,
        waitMs: 8000,
      })
      .catch((error: unknown) => ({ text: String(error), view: undefined }))
    if (!answer.test(text)) wrong.push(`${typed} should ${wanted}, but: ${text.slice(0, 300)}`)
    if (view) await member.close({ all: true })
  }
  expect(wrong).toEqual([])
  expect(LINES).toHaveLength(88)
})
