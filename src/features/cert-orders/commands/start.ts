import type { Routes } from '../../../bot/routes/routes.ts'
import { type FormParts, orderModal } from '../forms/order.ts'
import type { OrderRepository } from '../order.ts'
import { numberOf } from '../parse.ts'
import { refuseWhileOpen } from '../placed-twice.ts'
import { againModal, certificateModal, freshDraft } from '../start-order.ts'

/** What opens the order form: empty, for a certificate that there is, or filled in from an earlier order. */
export function startCommands(routes: Routes, parts: FormParts & { orders: OrderRepository }): void {
  const { service, orders } = parts

  routes.verb({
    command: 'cert-order',
    verb: '',
    usage: '',
    does: 'Ask for a certificate: new, renewed or reissued',
    needs: 'viewer',
    changesSomething: true,
    opens: true,
    async run(context) {
      await service.refuseIfMayNotOrder(context)
      // Without a token nothing can be ordered: said now, not when everything is filled in.
      await context.api()
      return orderModal(parts, context, freshDraft(orders, context))
    },
  })

  for (const action of ['renew', 'reissue'] as const) {
    routes.verb({
      command: 'cert-order',
      verb: action,
      usage: `${action} CERT_ID`,
      does: `Ask to ${action} a certificate, filled in from an earlier order of it`,
      needs: 'viewer',
      changesSomething: true,
      opens: true,
      async run(context, { words }) {
        await service.refuseIfMayNotOrder(context)
        await context.api()
        return certificateModal(parts, orders, context, action, words)
      },
    })
  }

  routes.verb({
    command: 'cert-order',
    verb: 'again',
    usage: 'again N',
    does: 'Ask once more for what an earlier order asked for',
    needs: 'viewer',
    changesSomething: true,
    opens: true,
    async run(context, { words }) {
      await service.refuseIfMayNotOrder(context)
      const order = await service.orderOrThrow(context.workspaceId, numberOf(words, 'again'))
      // Said now, not when everything is filled in; another key may be asked for in a form of its own.
      await refuseWhileOpen(orders, order)
      return againModal(parts, context, order)
    },
  })
}
