import { card, type Message } from '@signalman/slack'
import { sendFiles } from '../../bot/posts/send-files.ts'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import { environmentSuffix } from '../../domain/environment.ts'
import { formatOrder } from '../../service/orders.ts'
import { labelText, labelValues, makeVisible } from './rules/entries.ts'
import type { Order } from './rules/order.ts'
import { listOrderEntries } from './views/entries.ts'

/** Sends the person a file with everything that an order requests, including the exact body, and the service's answer. */
export async function sendOrderFile(context: CommandContext, order: Order): Promise<Message> {
  const { number, environment, bodyHash, content } = order
  const lines = [
    `Order ${number}`,
    `Order fingerprint, the SHA-256 of the request body, base64url: ${bodyHash}`,
    '',
    ...listOrderEntries(order)
      .flatMap(labelValues)
      .map(([name, value]) => labelText(name, makeVisible(value))),
    '',
    'The request body, as it is sent:',
    formatOrder(content.request),
    '',
    'The service’s answer:',
    ...(content.outcome?.answered?.answer ?? '').split(/\r?\n/).map(makeVisible),
    '',
  ]
  const body = Buffer.from(lines.join('\n'))
  const name = `order-${number}.txt`
  await sendFiles(context, `Full contents of order ${number}${environmentSuffix(environment)}.`, [
    { name, title: name, bytes: body.length, body },
  ])
  return card({ headline: `I sent you a DM with the full contents of order ${number}, as a file.` })
}
