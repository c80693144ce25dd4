import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ORDER_STATES,
  type OrderStepKind,
  orderMoves,
} from '../src/features/cert-orders/rules/order-states.ts'

export const PAGE = join(import.meta.dirname, 'order-states.md')

/** Who or what takes a step, and what it is. */
const MEANING: Readonly<Record<OrderStepKind, string>> = {
  approve: 'somebody with the role approver says yes to the exact body; with enough of them it is sent',
  allow: 'a rule on content approves it at once, where four eyes are not wanted',
  edit: 'an approver changes it, and approves what it then is',
  reject: 'an approver says no, with a reason',
  withdraw: 'whoever asked for it takes it back',
  expire: 'nobody has decided in time',
  remind: 'people are reminded of it',
  answer: 'the outcome of its one POST, which may come late',
  resolve: 'a person has looked at the service and says what they found',
  forget: 'the app was taken out of the workspace',
}

/** The page with the picture, from the table in src/features/cert-orders/rules/order-states.ts. */
export function orderStatesPage(): string {
  const edges = new Map<string, string[]>()
  for (const { from, step, to } of orderMoves) {
    // That nothing changes when the app is taken out would be half of the picture.
    if (step === 'forget' && from === to) continue
    const edge = `${from} --> ${to}`
    edges.set(edge, [...(edges.get(edge) ?? []), step])
  }
  const ends = ORDER_STATES.filter((state) =>
    orderMoves.every(({ from, to, step }) => from !== state || to === state || step === 'forget'),
  )
  return [
    '# The states of a certificate order',
    '',
    'Written by `npm run order-states` from [the table](../src/features/cert-orders/rules/order-states.ts) that also types the code, feeds the',
    'tests, and is the guard in the database. Nothing leads back to `submitting`: an order is sent once.',
    '',
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> awaiting: request',
    ...[...edges].map(([edge, steps]) => `  ${edge}: ${steps.join(', ')}`),
    ...ends.map((state) => `  ${state} --> [*]`),
    '```',
    '',
    '| step | what it is | from → to |',
    '| --- | --- | --- |',
    ...Object.entries(MEANING).map(([step, meaning]) => {
      const moves = orderMoves.filter((move) => move.step === step)
      const pairs = moves.map(({ from, to }) => (from === to ? `${from} (stays)` : `${from} → ${to}`))
      return `| ${step} | ${meaning} | ${pairs.join(', ')} |`
    }),
    '',
  ].join('\n')
}

if (import.meta.main) await writeFile(PAGE, orderStatesPage())
