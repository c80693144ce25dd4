import { card, clip, commandButton, type Line, type Message, oneLine, person } from '@signalman/slack'
import type { Button } from '@slack/types'
import { cmd } from '../../../domain/command-names.ts'
import { environmentSuffix } from '../../../domain/environment.ts'
import { quoted } from '../../../domain/quoting.ts'
import { listOpenQuestions, type Order, type Question } from '../rules/order.ts'
import type { DisplayNames } from '../rules/order-details.ts'
import { getDisplayName } from './facts.ts'
import { formatOrderName } from './words.ts'

/** The longest question or answer, so that a card can show both in full. */
export const MAX_QUESTION_LENGTH = 500

const quote = (text: string): string => `“${clip(oneLine(text), MAX_QUESTION_LENGTH)}”`

const formatAnswer = ({ answer }: Question, people: DisplayNames): string =>
  answer ? `${oneLine(getDisplayName(people, answer.by))} answered: ${quote(answer.text)}` : 'Not answered.'

/** `maxShown`: the newest ones to show. */
export function describeQuestions({ content, number }: Order, people: DisplayNames, maxShown = 2): Line[] {
  const { questions = [] } = content
  const earlier = questions.length - maxShown
  return [
    ...questions
      .slice(-maxShown)
      .map(
        (question): Line => [
          `💬 ${oneLine(getDisplayName(people, question.by))} asked `,
          new Date(question.at),
          `: ${quote(question.text)} ${formatAnswer(question, people)}`,
        ],
      ),
    ...(earlier > 0 ? [`Details of order ${number} has the ${earlier} earlier ones.`] : []),
  ]
}

const createAnswerButton = (order: Order, question: number): Button =>
  commandButton('Answer', `/cert-order reply ${order.number} q${question}`, {
    accessibilityLabel: `Answer: order ${order.number}, question ${question}`,
    style: 'primary',
  })

export const answerButtons = (order: Order): Button[] =>
  listOpenQuestions(order)
    .slice(0, 1)
    .map(({ number }) => createAnswerButton(order, number))

/** Asks the requester. */
export const questionView = (
  order: Order,
  { number, question }: ReturnType<typeof listOpenQuestions>[number],
  people: DisplayNames,
): Message =>
  card({
    headline: `💬 ${oneLine(getDisplayName(people, question.by))} asks about your order ${order.number}${environmentSuffix(order.environment)}: ${quote(question.text)}`,
    notes: [
      `${formatOrderName(order)} is still waiting for approval. Your answer goes to everyone who can approve it.`,
    ],
    controls: [
      createAnswerButton(order, number),
      commandButton('Details', `/cert-order show ${order.number}`),
    ],
  })

/** Replaces the message that asked, once nobody waits for the answer anymore. */
export const closedQuestionView = (order: Order, question: Question, people: DisplayNames): Message =>
  card({
    headline: `💬 ${oneLine(getDisplayName(people, question.by))} asked about order ${order.number}${environmentSuffix(order.environment)}: ${quote(question.text)}`,
    notes: [question.answer ? formatAnswer(question, people) : 'An answer is no longer needed.'],
    controls: [commandButton('Details', `/cert-order show ${order.number}`)],
  })

/** Notifies the person who asked. */
export const answeredView = (order: Order, question: Question, people: DisplayNames): Message =>
  cardForWhoAsked(order, question, formatAnswer(question, people))

/** Tells the person who asked that the requester has left. */
export const unansweredView = (order: Order, question: Question, people: DisplayNames): Message =>
  cardForWhoAsked(
    order,
    question,
    `${oneLine(getDisplayName(people, order.requesterId))} has left the workspace, so nobody will answer you`,
    [`An admin can make someone else the requester with ${cmd('/hc handover')}. They get your question.`],
  )

const cardForWhoAsked = (order: Order, { by, text }: Question, news: string, notes: Line[] = []): Message =>
  card({
    headline: [person(by), ` ${news} · order ${order.number}${environmentSuffix(order.environment)}`],
    notes: [`You asked: ${quote(text)}`, ...notes],
    controls:
      order.state === 'awaiting'
        ? [
            commandButton(
              'Review and approve',
              `/cert-order approve ${order.number} ${quoted(order.bodyHash)}`,
            ),
            commandButton('Reject', `/cert-order reject ${order.number}`, { style: 'danger' }),
          ]
        : [commandButton('Details', `/cert-order show ${order.number}`)],
  })
