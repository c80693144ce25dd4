'use strict'
// Loaded into an app that the playground starts (NODE_OPTIONS=--require). Slack's own libraries, and slack-edge, have the address of Slack
// as a default in their code, and some give an app no way to change it (Bolt's Socket Mode): here they are read with the
// playground's address in its place. No file is changed, and an app that names an address of its own keeps it.
const Module = require('node:module')

const address = process.env.SIGNALMAN_PLAYGROUND_URL
const ownCode = /[\\/]node_modules[\\/](?:@slack|slack-edge|slack-web-api-client)[\\/]/
const slack = /https:\/\/slack\.com(?=[/'"`])/g

if (address) {
  const compile = Module.prototype._compile
  Module.prototype._compile = function compileForPlayground(content, filename, ...rest) {
    const isSlacks = typeof content === 'string' && ownCode.test(filename)
    return compile.call(this, isSlacks ? content.replace(slack, address) : content, filename, ...rest)
  }
}
