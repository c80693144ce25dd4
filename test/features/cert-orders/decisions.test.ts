import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { FieldErrors } from '../../../packages/runtime/src/errors.ts'
import { readAnswers } from '../../../packages/slack/src/receive/view-state.ts'
import type { CommandContext } from '../../../src/bot/routes/command-context.ts'
import type { CertOrderDeps } from '../../../src/features/cert-orders/create-cert-orders.ts'
import { rejectForm, resolveForm } from '../../../src/features/cert-orders/forms/decisions.ts'
import type { Order } from '../../../src/features/cert-orders/rules/order.ts'
import { exampleRequest } from './order-process.ts'

const KEY = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))

it.each([
  { finding: 'received', sender: 'silent', asks: ['order'] },
  { finding: 'received', sender: 'ended', asks: ['order'] },
  { finding: 'failed', sender: 'silent', asks: ['how'] },
  { finding: 'failed', sender: 'ended', asks: [] },
] as const)(
  'asks about an order that $finding, whose sender is $sender, for $asks, and needs it',
  async ({ finding, sender, asks }) => {
    const outcome = { kind: 'unknown', why: 'Lost.', said: [], sender }
    // Cast: the other parts aren't read.
    const order = {
      number: 1,
      state: 'unknown',
      content: { ...exampleRequest('PO 1'), outcome },
    } as unknown as Order
    const { blocks, formState } = resolveForm.open('production', order, { finding, again: '' })
    expect(blocks.flat().flatMap((block) => (block.type === 'input' ? [block.block_id] : []))).toEqual(asks)
    // Cast: as `open` made it, and only these parts are used.
    const state = formState as Parameters<typeof resolveForm.submit>[2]
    const deps = { service: { resolve: async () => order }, renderOutcome: async () => ({ text: 'done' }) }
    const [context, given] = [{ userId: 'U2' }, deps] as unknown as [CommandContext, CertOrderDeps]
    const saving = resolveForm.submit(context, { id: undefined, how: undefined }, state, given)
    if (finding === 'failed' && sender === 'silent') await expect(saving).rejects.toThrow(FieldErrors)
    else expect(await saving).toMatchObject({ fallbackMessage: { text: 'done' } })
  },
)

it.each([
  { form: rejectForm, typed: { reason: KEY }, error: 'treat it as leaked' },
  { form: rejectForm, typed: {}, error: 'Enter a reason' },
  { form: rejectForm, typed: { reason: 'Too long.' }, error: undefined },
  { form: resolveForm, typed: { how: KEY }, error: 'treat it as leaked' },
  { form: resolveForm, typed: { order: KEY }, error: 'treat it as leaked' },
  { form: resolveForm, typed: { order: 'two words' }, error: 'Enter one ID without spaces.' },
  { form: resolveForm, typed: { order: '4711', how: 'I asked.' }, error: undefined },
])('reads what was typed, and refuses what must not be stored ($#)', ({ form, typed, error }) => {
  const values = Object.entries(typed).map(([name, value]) => [name, { value }])
  const read = () => form.read(readAnswers(Object.fromEntries(values)))
  if (error === undefined) return expect(read()).toBeTruthy()
  expect(read).toThrow(FieldErrors)
  try {
    read()
  } catch (thrown) {
    expect(Object.values((thrown as FieldErrors).fields).join()).toContain(error)
  }
})
