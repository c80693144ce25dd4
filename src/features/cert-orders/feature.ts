import { reschedule } from '@signalman/durable'
import { bindMessage } from '../../bot/bind-buttons.ts'
import { feature } from '../../bot/feature.ts'
import { bindForm } from '../../bot/forms/form.ts'
import type { Topic } from '../../bot/routes/routes.ts'
import { certOrderCommands } from './commands.ts'
import { createCertOrders } from './create-cert-orders.ts'
import { approveForm } from './forms/approve.ts'
import { rejectForm, resolveForm } from './forms/decisions.ts'
import { orderForm } from './forms/order.ts'
import { settingsForm } from './forms/settings.ts'
import { createHomeSection } from './home-orders.ts'
import { ORDER_WORK } from './rows/order-writer.ts'
import { createStoredOrders, type StoredOrders } from './rows/orders.ts'
import { ORDER_TABLES } from './rows/tables.ts'
import { ORDER_SETTINGS } from './rules/settings.ts'

const TOPIC: Topic = {
  command: 'cert-order',
  things: /^(?:certs?|certificates?|csrs?|orders?)$/i,
  about: /^(?:ordered|approv(?:als?|ers?|e|ed|es)|renewals?|expir\w*|prices?|costs?)$/i,
  buttons: [
    { label: 'What waits', line: '/cert-order list pending' },
    { label: 'My orders', line: '/cert-order list mine' },
    { label: 'New order', line: '/cert-order' },
    { label: 'Who can approve', line: '/hc access' },
  ],
  knows: 'The service doesn’t say which certificates there are, when they expire, or what they cost.',
}

/** `/cert-order`: requesting and approving certificates, and sending each order at most once. */
export const certOrders = feature<{ readonly orders: StoredOrders }>({
  name: 'cert-orders',
  tables: ORDER_TABLES,
  settings: [ORDER_SETTINGS],
  open: ({ database, time, keys, append }) => {
    const orders = createStoredOrders(database, time, keys, append)
    return {
      rows: { orders },
      stats: async () => ({ ordersUnknown: await orders.countUnknown() }),
      // The outcome of a POST has arrived late. Running the work again applies it to the order.
      onOutcomeKnown: (workId) => reschedule(database.rows, time, ORDER_WORK.submit, workId),
    }
  },
  start(context) {
    const { store, rows, config, posting, people, getApi, reachability } = context
    const { orders } = rows
    const { deps, workKinds } = createCertOrders({
      posting,
      store: { ...store, ...rows },
      reachability,
      people,
      now: context.now,
      engine: context.engine,
      getApi,
      maxInFlightMs: config.maxInFlightMs,
    })
    return {
      commands: certOrderCommands(deps),
      forms: [
        bindForm(orderForm, deps),
        bindForm(approveForm, deps),
        bindForm(rejectForm, deps),
        bindForm(resolveForm, deps),
        bindForm(settingsForm, deps),
      ],
      home: createHomeSection(deps),
      async nearby(context, thread) {
        const order = thread && (await orders.findByMessage(context.workspaceId, thread))
        if (!order) return undefined
        const { environment } = order
        const card = bindMessage(await deps.renderForUser(context, order), environment)
        return { card, command: 'cert-order', checks: [], environment, buttons: [] }
      },
      topics: [TOPIC],
      work: workKinds,
    }
  },
})
