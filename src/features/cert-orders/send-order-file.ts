import { UserError } from '@signalman/runtime'
import { card, type Message } from '@signalman/slack'
import { sendFiles } from '../../bot/posts/send-files.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { environmentSuffix } from '../../domain/environment.ts'
import { hashRequest, type Order } from './rules/order.ts'
import { labelText, labelValues, makeVisible } from './rules/pages.ts'
import { listOrderEntries } from './views/request.ts'

/** Sends the person a file with everything that an order requests, including the exact body. */
export async function sendOrderFile(context: CommandContext, order: Order): Promise<Message> {
  const { number, environment, bodyHash, content } = order
  const { orders } = await context.api(environment)
  // After an uninstall, the CSR and the contacts are removed, so the stored request no longer has this hash.
  if (hashRequest(content.request, orders) !== bodyHash)
    throw new UserError(
      `The contents of order ${number} are no longer stored, so there’s nothing to send you.`,
    )
  const lines = [
    `Order ${number}`,
    `SHA-256 of the request body, base64url: ${bodyHash}`,
    '',
    ...listOrderEntries(order)
      .flatMap(labelValues)
      .map(([name, value]) => labelText(name, makeVisible(value))),
    '',
    'The request body, as it is sent:',
    orders.formatBody(content.request),
    '',
  ]
  const body = Buffer.from(lines.join('\n'))
  const name = `order-${number}.txt`
  await sendFiles(context, `Full contents of order ${number}${environmentSuffix(environment)}.`, [
    { name, title: name, bytes: body.length, body },
  ])
  return card({ headline: `I sent you a DM with the full contents of order ${number}, as a file.` })
}
