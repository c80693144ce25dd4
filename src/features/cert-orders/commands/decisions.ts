import { UserError } from '@signalman/runtime'
import type { CommandContext, Requester } from '../../../bot/routes/command-context.ts'
import type { Modal, Routes } from '../../../bot/routes/routes.ts'
import { compare } from '../compare.ts'
import { approveForm, approveModal } from '../forms/approve.ts'
import { editModal, type FormParts } from '../forms/order.ts'
import { rejectForm, rejectModal } from '../forms/reject.ts'
import { FINDINGS, resolveForm, resolveModal } from '../forms/resolve.ts'
import { type NameOf, namesIn } from '../names-in.ts'
import type { OrderRepository } from '../order.ts'
import { numberOf } from '../parse.ts'
import { refusalOf } from '../refusals.ts'
import { policyFor, ruledOf } from '../rules/rules.ts'

/** What the buttons of a card do: each opens a window, and what it asks is checked at the click and when it is sent in. */
export function decisionCommands(
  routes: Routes,
  parts: FormParts & { nameOf: NameOf; orders: OrderRepository },
): void {
  const { service, nameOf, show } = parts

  /** The order as the button showed it. A typed line names no body: it gets the order as it stands. */
  async function shownOrder(context: Requester, [number = '', hash]: readonly string[], verb: string) {
    const order = await service.orderOrThrow(context.workspaceId, numberOf([number], verb))
    if (order.state === 'awaiting' && hash !== undefined && hash !== order.bodyHash)
      throw refusalOf(order, 'changed')
    return order
  }

  const decision = (
    verb: string,
    usage: string,
    does: string,
    open: (context: CommandContext, words: readonly string[]) => Promise<Modal>,
  ): void => {
    const what = { command: 'cert-order', verb, usage: `${verb} ${usage}`, does } as const
    routes.verb({
      ...what,
      needs: 'approver',
      opens: true,
      run: (context, { words }) => open(context, words),
    })
  }

  decision('approve', 'N', 'Look at an order and approve it', async (context, words) => {
    const order = await shownOrder(context, words, 'approve')
    const approved = await service.check(context, order, 'approve')
    const [policy, people, comparison] = await Promise.all([
      service.policyOf(context.workspaceId),
      namesIn(order, nameOf),
      compare(parts.orders, order),
    ])
    return approveModal(order, approved, { policy: policyFor(policy, ruledOf(order)), people, comparison })
  })

  decision('edit', 'N', 'Change an order and approve it as it is then', async (context, words) => {
    const order = await shownOrder(context, words, 'edit')
    await service.check(context, order, 'approve')
    return editModal(parts, context, order)
  })

  decision('reject', 'N', 'Reject an order, with a reason', async (context, words) => {
    const order = await shownOrder(context, words, 'reject')
    return service.check(context, order, 'reject').then(() => rejectModal(order))
  })

  decision(
    'resolve',
    `N ${FINDINGS.join('|')}`,
    'Say what became of an order whose outcome nobody knows',
    async (context, [number = '', typed = '']) => {
      const finding = FINDINGS.find((one) => one === typed.toLowerCase())
      if (!finding) throw new UserError(`What did you find? One of ${FINDINGS.join(', ')}.`)
      const order = await service.orderOrThrow(context.workspaceId, numberOf([number], 'resolve'))
      await service.check(context, order, 'resolve')
      return resolveModal(order, finding)
    },
  )

  routes.verb({
    command: 'cert-order',
    verb: 'withdraw',
    usage: 'withdraw N',
    does: 'Take back an order of yours that nobody has decided on',
    needs: 'viewer',
    acts: true,
    changesSomething: true,
    run: async (context, { words }) =>
      show(context, await service.withdraw(context, numberOf(words, 'withdraw'))),
  })

  routes.form(approveForm(parts))
  routes.form(rejectForm(parts))
  routes.form(resolveForm(parts))
}
