import type { Routes } from '../../slack/routes.ts'
import { orderForm, orderModal } from './form.ts'

/** `/cert-order`: the order form. */
export function certOrderRoutes(routes: Routes): void {
  routes.verb({
    command: 'cert-order',
    verb: '',
    usage: '',
    does: 'Order, renew or reissue a certificate',
    needs: 'approver',
    opens: true,
    async run(ask) {
      // Without a token nothing can be ordered: said now, not when everything is filled in.
      await ask.api()
      return orderModal(ask.environment)
    },
  })
  routes.form(orderForm)
}
