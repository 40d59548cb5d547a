// A JsSIP user agent as a browser would run it, over a WebSocket: node phone.js URL ADDRESS
//
// Registers, and prints a line for each thing that happens: "registered" or "refused: CAUSE",
// "received {...}", "answered STATUS". Takes commands, one a line: {"to": ADDRESS, "type": TYPE,
// "text": TEXT} sends a message, "quit" unregisters and ends.
'use strict';

// What a browser has and JsSIP asks for.
globalThis.window = globalThis;
globalThis.WebSocket = require('ws');
const JsSIP = require('jssip');

const [url, address] = process.argv.slice(2);
const phone = new JsSIP.UA({
    sockets: [new JsSIP.WebSocketInterface(url)],
    uri: address,
    register_expires: 600,
});

phone.on('registered', () => console.log('registered'));
phone.on('registrationFailed', ({ cause }) => console.log(`refused: ${cause}`));
phone.on('disconnected', ({ reason }) => console.log(`disconnected: ${reason}`));
phone.on('newMessage', ({ originator, request }) => {
    if (originator === 'remote') {
        console.log(`received ${JSON.stringify({
            from: request.from.uri.toString(),
            name: request.from.display_name,
            type: request.getHeader('Content-Type'),
            subject: request.getHeader('Subject'),
            text: request.body,
        })}`);
    }
});

function send({ to, type, text }) {
    const answered = ({ response, cause }) =>
        console.log(`answered ${response ? response.status_code : cause}`);
    phone.sendMessage(to, text, {
        contentType: type,
        eventHandlers: { succeeded: answered, failed: answered },
    });
}

require('readline').createInterface({ input: process.stdin })
    .on('line', (line) => {
        if (line !== 'quit') {
            send(JSON.parse(line));
        } else {
            phone.on('unregistered', () => process.exit(0));
            phone.unregister();
        }
    })
    .on('close', () => process.exit(0));

phone.start();
