'use strict'
// A stand-in for the client of @slack/socket-mode 1, which passes its handler an event instead of the text.
const { WebSocket } = require('ws')

exports.SocketModeClient = class SocketModeClient {
  constructor(url, handleCommand) {
    this.handleCommand = handleCommand
    this.socket = new WebSocket(url)
    this.socket.addEventListener('message', this.onWebSocketMessage.bind(this))
  }

  async onWebSocketMessage({ data }) {
    const { envelope_id, payload } = JSON.parse(data)
    if (envelope_id === undefined) return
    this.socket.send(JSON.stringify({ envelope_id }))
    await this.handleCommand(payload)
  }
}
