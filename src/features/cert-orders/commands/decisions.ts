import { UserError } from '@signalman/runtime'
import { choice, type Slot, slot } from '../../../bot/grammar/slots.ts'
import type { CommandContext } from '../../../bot/routes/command-context.ts'
import type { Modal, VerbDeclaration } from '../../../bot/routes/routes.ts'
import { cmd } from '../../../domain/command-names.ts'
import type { CertOrderDeps } from '../create-cert-orders.ts'
import { openApproval } from '../forms/approve.ts'
import { FINDINGS, rejectForm, resolveForm } from '../forms/decisions.ts'
import { ORDER_NUMBER, requireNumber } from '../parse.ts'
import type { Order } from '../rules/order.ts'
import { StepRefused } from '../rules/refusals.ts'
import { sendOrderFile } from '../send-order-file.ts'
import { findOrderOrThrow, refuseUnlessPossible } from '../transition-order.ts'

/** The body hash in a button's command. People don't type it. */
const BODY_HASH = /^[\w-]{43}$/

/** A reason. */
const PROSE = slot('rest', 'text', { usage: '', isProse: true })

/**
 * A command that opens a window about an order. `rest` is what comes after the number: for a button, the hash of the body that the card
 * showed.
 */
const createDecisionCommand = (
  deps: CertOrderDeps,
  verb: string,
  description: string,
  open: (context: CommandContext, order: Order, rest: string | undefined) => Promise<Modal>,
  {
    rest = slot('rest', 'text', { usage: '' }),
    redraws = false,
    also = [],
  }: { rest?: Slot; redraws?: boolean; also?: readonly string[] } = {},
): VerbDeclaration => ({
  line: `/cert-order ${verb}`,
  slots: [ORDER_NUMBER, rest],
  also,
  description,
  needs: 'approver',
  opensModal: true,
  redraws,
  async run(context, typed) {
    const order = await findOrderOrThrow(deps, context.workspaceId, requireNumber(typed, verb))
    return open(context, order, typed.values.rest)
  },
})

/** Throws UserError if the order has changed since the button's card was posted. */
function refuseIfChanged(verb: string, order: Order, hash: string | undefined = order.bodyHash): void {
  if (hash === order.bodyHash) return
  if (!BODY_HASH.test(hash))
    throw new UserError(`Type only the number: ${cmd('/cert-order')} ${verb} ${order.number}`)
  if (order.state === 'awaiting') throw new StepRefused(order, 'changed')
}

/** The commands behind a card's buttons. Permissions are checked when a window opens and again when it's submitted. */
export function decisionCommands(deps: CertOrderDeps): VerbDeclaration[] {
  const { service, renderForUser } = deps

  return [
    createDecisionCommand(
      deps,
      'approve',
      'Read an order in full and approve it',
      async (context, order, hash) => {
        refuseIfChanged('approve', order, hash)
        return openApproval(deps, context, order)
      },
      { redraws: true, also: ['accept', 'lgtm', 'sign off', 'review', 'allow', 'authorize', 'confirm'] },
    ),

    createDecisionCommand(
      deps,
      'reject',
      'Reject an order, with a reason',
      async (context, order, typed) => {
        const isHash = typed !== undefined && BODY_HASH.test(typed)
        if (isHash) refuseIfChanged('reject', order, typed)
        await refuseUnlessPossible(deps, order, { kind: 'reject', by: context.userId, reason: '' })
        return rejectForm.open(order.environment, order, isHash ? undefined : typed)
      },
      { rest: PROSE, also: ['deny', 'decline', 'refuse', 'disapprove'] },
    ),

    createDecisionCommand(
      deps,
      'resolve',
      'Record how an order ended at the service',
      async (context, order, input) => {
        const finding = FINDINGS.find((name) => name === input)
        if (!finding) throw new UserError(`What did you find? Type one of ${FINDINGS.join(', ')}.`)
        // The window asks for the actual outcome.
        const outcome = { kind: 'failed', why: '', said: [], by: context.userId, how: 'later' } as const
        await refuseUnlessPossible(deps, order, { kind: 'resolve', by: context.userId, outcome })
        return resolveForm.open(order.environment, order, finding)
      },
      {
        rest: choice('rest', Object.fromEntries(FINDINGS.map((name) => [name, name])), {
          required: true,
          after: ['as', 'to'],
        }),
      },
    ),

    {
      line: '/cert-order file',
      slots: [ORDER_NUMBER],
      also: ['download', 'export'],
      description: 'Send yourself the full contents of an order as a text file',
      needs: 'approver',
      isAct: true,
      run: async (context, typed) => {
        const order = await findOrderOrThrow(deps, context.workspaceId, requireNumber(typed, 'file'))
        return sendOrderFile(context, order)
      },
    },

    {
      line: '/cert-order withdraw',
      slots: [ORDER_NUMBER],
      also: ['cancel', 'retract', 'abort'],
      description: 'Withdraw your own order while it’s waiting for approval',
      needs: 'viewer',
      isAct: true,
      changesSomething: true,
      run: async (context, typed) =>
        renderForUser(context, await service.withdraw(context, requireNumber(typed, 'withdraw'))),
    },
  ]
}
