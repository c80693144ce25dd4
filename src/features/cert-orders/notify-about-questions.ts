import type { Message } from '@signalman/slack'
import type { Reachability } from '../../bot/access/reachable.ts'
import {
  answerKey,
  isCard,
  type NotificationBatch,
  questionKey,
  unansweredKey,
} from './notification-batch.ts'
import { type ApproverRecipients, findStandIn, notifyApprovers } from './notify-approvers.ts'
import { isOpenQuestion, type Order, type Question } from './rules/order.ts'
import type { OrderDetails } from './rules/order-details.ts'
import { answeredView, closedQuestionView, questionView, unansweredView } from './views/questions.ts'

interface Recipients extends ApproverRecipients {
  reachability: Pick<Reachability, 'explainPerson' | 'findAdmin'>
}

interface NumberedQuestion {
  number: number
  question: Question
}

/** Asks the requester, and tells whoever asked what they answered. Each once, whatever else happened to the order. */
export async function notifyAboutQuestions(
  recipients: Recipients,
  order: Order,
  details: OrderDetails,
): Promise<void> {
  for (const [index, question] of (order.content.questions ?? []).entries())
    await notifyAboutQuestion(recipients, order, { number: index + 1, question }, details).catch(
      recipients.batch.failWith(undefined),
    )
}

async function notifyAboutQuestion(
  recipients: Recipients,
  order: Order,
  asked: NumberedQuestion,
  { people, hasRequesterLeft }: OrderDetails,
): Promise<void> {
  const { number, question } = asked
  const isOpen = isOpenQuestion(order, question)
  const closed = closedQuestionView(order, question, people)
  await closeQuestion(recipients.batch, order, questionKey(number), isOpen, closed)
  if (isOpen && hasRequesterLeft)
    await tellWhoAsked(
      recipients,
      order,
      question,
      unansweredKey(number),
      unansweredView(order, question, people),
    )
  else if (isOpen)
    await askRequester(recipients, order, questionKey(number), questionView(order, asked, people))
  if (question.answer)
    await tellWhoAsked(recipients, order, question, answerKey(number), answeredView(order, question, people))
}

/** Replaces messages that still ask: all of them if nobody waits for an answer anymore, or else those of former requesters. */
async function closeQuestion(
  batch: NotificationBatch,
  { content: { requestedBefore = [] } }: Order,
  about: string,
  isOpen: boolean,
  closed: Message,
): Promise<void> {
  for (const card of batch.cards().filter((sent) => sent.about === about)) {
    if (isOpen && !requestedBefore.includes(card.to ?? '')) continue
    if ((await batch.edit(card, closed)) !== 'failed') await batch.drop(card)
  }
}

/** Asks the requester once, or an admin if they can't use Signalman anymore. */
async function askRequester(
  { batch, reachability }: Recipients,
  order: Order,
  about: string,
  message: Message,
): Promise<void> {
  const standIn = await findStandIn(reachability, order)
  if (standIn) await batch.notify({ to: standIn.to, about }, standIn.readdress(message))
  else await batch.notify({ to: order.requesterId, about }, message)
}

/** Tells them once: in the thread of the card, or else as a DM. If they can't be notified, tells all approvers. */
async function tellWhoAsked(
  { reachability, ...recipients }: Recipients,
  { workspaceId, enterpriseId }: Order,
  question: Question,
  about: string,
  message: Message,
): Promise<void> {
  const { batch } = recipients
  if (batch.cards().some((card) => card.about === about)) return
  const channelCard = batch.cards().find((card) => isCard(card) && card.to === undefined)
  if (channelCard) {
    const { channelId, ts: threadTs } = channelCard
    if ((await batch.notify({ channelId, threadTs, about }, message)) !== 'refused') return
  }
  if ((await reachability.explainPerson({ workspaceId, enterpriseId }, question.by)) === undefined) {
    if ((await batch.notify({ to: question.by, about }, message)) !== 'refused') return
  }
  await notifyApprovers(recipients, message, about)
}
