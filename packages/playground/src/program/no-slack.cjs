'use strict'
// Blocks connections to the real Slack, whichever token and URL the code uses: a test must never reach a real workspace. Every test of
// this repository loads this file.
const net = require('node:net')
const tls = require('node:tls')

const SLACK_HOST = /(?:^|\.)slack(?:-edge|-files|-msgs)?\.com\.?$/i

/** The host of a connection, from the arguments of `net.Socket#connect` or `tls.connect`. */
function readHost([first, second]) {
  const options = Array.isArray(first) ? first[0] : first
  if (typeof options === 'object' && options !== null) return String(options.servername || options.host || '')
  return typeof second === 'string' ? second : String(second?.servername ?? '')
}

/** Replaces `object.connect`, so that a socket for Slack is destroyed with an error once the caller has added its listeners. */
function guardConnect(object, socketFor) {
  const { connect } = object
  object.connect = function connectExceptToSlack(...args) {
    const host = readHost(args)
    if (!SLACK_HOST.test(host)) return connect.apply(this, args)
    const message = `The app called the real Slack (${host}), and the call was stopped. Set the URL of its API client to SLACK_API_URL (${process.env.SLACK_API_URL}).`
    process.stderr.write(`${message}\n`)
    const socket = socketFor(this)
    process.nextTick(() => socket.destroy(Object.assign(new Error(message), { code: 'ERR_REAL_SLACK' })))
    return socket
  }
}

guardConnect(net.Socket.prototype, (socket) => socket)
// Through a proxy, the socket connects to the proxy, and only TLS gets Slack's host name.
guardConnect(tls, () => new net.Socket())
