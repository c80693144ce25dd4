'use strict'
// Posts a message by itself before it answers, so that only the trace tells which one is the answer.
const { SocketModeClient } = require('./SocketModeClient.js')

async function call(method, token, args = {}) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' }
  const body = JSON.stringify(args)
  return (await fetch(process.env.SLACK_API_URL + method, { method: 'POST', headers, body })).json()
}

const post = (text) => call('chat.postMessage', process.env.SLACK_BOT_TOKEN, { channel: 'C0GENERAL1', text })
const first = Promise.withResolvers()

async function start() {
  const { url } = await call('apps.connections.open', process.env.SLACK_APP_TOKEN)
  new SocketModeClient(url, async ({ text }) => {
    first.resolve()
    await post(`to ${text}`)
  })
  await first.promise
  await post('by itself')
}
start()
