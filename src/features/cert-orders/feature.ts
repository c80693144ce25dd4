import { reschedule } from '@signalman/durable'
import { bindForm, feature } from '../../bot/feature.ts'
import { certOrderCommands, createHomeSections } from './commands/orders.ts'
import { createCertOrders } from './create-cert-orders.ts'
import { approveForm } from './forms/approve.ts'
import { rejectForm, resolveForm } from './forms/decisions.ts'
import { orderForm } from './forms/order.ts'
import { policyForm } from './forms/policy.ts'
import { createOrderHandOver } from './hand-over-orders.ts'
import type { FindRequester } from './judge-order.ts'
import { redrawAfterLeaving } from './redraw-after-leaving.ts'
import { countUnknownOrders } from './rows/count-unknown.ts'
import { forgetOrders } from './rows/forget-orders.ts'
import { ORDER_WORK } from './rows/order-writer.ts'
import { createStoredOrders, type StoredOrders } from './rows/orders.ts'
import { ORDER_TABLES } from './rows/tables.ts'
import { ORDER_POLICY } from './rules/policy.ts'

/** `/cert-order`: requesting and approving certificates, and sending each order at most once. */
export const certOrders = feature<{ readonly orders: StoredOrders }>({
  name: 'cert-orders',
  tables: ORDER_TABLES,
  settings: [ORDER_POLICY],
  open: ({ database, time, keys, append, now }) => ({
    rows: {
      orders: createStoredOrders(database, time, keys, append),
    },
    forgetWorkspace: async (workspaceId, inTransaction) => ({
      orders: await forgetOrders({ ...database, inTransaction }, keys, workspaceId, now().toISOString()),
    }),
    stats: async () => ({ ordersUnknown: await countUnknownOrders(database) }),
    // The outcome of a POST has arrived late. Running the work again applies it to the order.
    onOutcomeKnown: (workId) => reschedule(database.rows, time, ORDER_WORK.submit, workId),
  }),
  start(context) {
    const { store, rows, config, posting, reachability, people, access, getApi, redrawHomes, findHolders } =
      context
    const findRequester: FindRequester = async (where, userId) => ({
      // If Slack can't say, they haven't left.
      hasLeft: await people.readPerson(where, userId).then(
        ({ isDeactivated }) => isDeactivated,
        () => false,
      ),
      hasRole: (role) => access.hasRoleOrThrow(where, userId, role),
    })
    const { deps, workKinds } = createCertOrders({
      posting,
      reachability,
      store: { ...store, ...rows },
      findHolders,
      countHolders: context.countHolders,
      lookUpName: async (where, userId) => (await people.readPerson(where, userId)).name,
      now: context.now,
      createReference: context.createReference,
      engine: context.engine,
      getApi: ({ workspaceId, environment }) => getApi(workspaceId, environment),
      mayApprove: (where, userId) => access.hasRoleOrThrow(where, userId, 'approver'),
      redrawHomes,
      findRequester,
      times: config.orderTimes,
    })
    return {
      commands: certOrderCommands(deps),
      forms: [
        bindForm(orderForm, deps),
        bindForm(approveForm, deps),
        bindForm(rejectForm, deps),
        bindForm(resolveForm, deps),
        bindForm(policyForm, deps),
      ],
      home: createHomeSections(deps),
      handOver: [createOrderHandOver(deps)],
      work: workKinds,
      slackChangeHandlers: redrawAfterLeaving({
        orders: rows.orders,
        findRequester,
        engine: context.engine,
        log: context.log,
      }),
    }
  },
})
