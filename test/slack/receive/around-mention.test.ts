import { expect, it } from 'vitest'
import { readTextAroundMention } from '../../../packages/slack/src/receive/around-mention.ts'

const APP = '<@U0APP>'
const LINE = 'hc show web-a'

/** Ways to write a line with a mention of the app, in Slack's own markup. */
const FORMS: readonly string[] = [
  `${APP} ${LINE}`,
  `${APP}: ${LINE}`,
  `<@U0APP|signalman> ${LINE}`,
  `${APP} <@U0ANN> ${LINE}`,
  `hello ${APP} ${LINE}`,
  `hello ${APP}\n${LINE}`,
  // Its ID in another workspace.
  `hello <@U0OTHER> ${LINE}`,
  `*${APP} ${LINE}`,
  `${APP} \` \` ${LINE}`,
  `${LINE} ${APP}`,
  `<@U0ANN>: ${LINE} ${APP}!`,
  `&gt; ${APP} ${LINE}`,
  `Who did this?\n&gt; ${APP} ${LINE}`,
  `\u2022 ${APP} ${LINE}`,
  `1. ${APP} ${LINE}`,
  `&gt; ${LINE} ${APP}`,
  `\`${APP} ${LINE}\``,
  `\`\`\`${APP} ${LINE}\`\`\``,
  `To see it, type \`${APP} ${LINE}\` now`,
  `${APP} \`${LINE}\``,
  `${APP} \`\`\`${LINE}\`\`\``,
  `${APP}\n\`\`\`\n${LINE}\n\`\`\``,
  `${APP} hc show \`web-a\``,
  `\`${LINE}\` ${APP}`,
  `*${APP} ${LINE}*`,
  `_*${APP} ${LINE}*_`,
  `~${APP} ${LINE}~`,
]

it.each(FORMS)('reads the line of %j', (message) => {
  expect(readTextAroundMention(message, 'U0APP', false)).toBe(LINE)
})

it('keeps a person in a direct message, who isn’t the app', () => {
  const message = 'hc grant <@U0ANN> operator'
  expect(readTextAroundMention(message, 'U0APP', true)).toBe(message)
})

it.each([`\`${LINE}\``, `&gt; ${LINE}`, LINE])('reads the line of a direct message: %j', (message) => {
  expect(readTextAroundMention(message, 'U0APP', true)).toBe(LINE)
})

it.each([
  [`${APP} hc list *web*`, 'hc list *web*'],
  [`${APP} hc list web*`, 'hc list web*'],
  [`*${APP}* hc list web*`, 'hc list web*'],
  [APP, ''],
  [`\`\`\`${APP}\`\`\``, ''],
])('keeps patterns, and text that is only formatting is nothing: %j', (message, text) => {
  expect(readTextAroundMention(message, 'U0APP', false)).toBe(text)
})
