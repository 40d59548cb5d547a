// bullmq_load.js SOCKET: BullMQ on the Redis at that unix socket, driven by lines of the standard
// input; bullmq.cpp starts it. Prints "ready", and for each line, when it is done, its seconds:
//
//   push NUMBER JOBS BATCH CALLERS BYTES   ->  done NUMBER SECONDS   (Queue.addBulk)
//   finish NUMBER JOBS CONCURRENCY         ->  done NUMBER SECONDS   (one Worker, jobs removed)
'use strict';

const readline = require('node:readline');
const { Queue, Worker } = require('bullmq');

const connection = { path: process.argv[2], maxRetriesPerRequest: null };
const queue = new Queue('bench', {
    connection,
    // A job that is done is forgotten, as Restante forgets it.
    defaultJobOptions: { removeOnComplete: true },
});

const seconds = (since) => Number(process.hrtime.bigint() - since) / 1e9;

async function push(jobs, batch, callers, bytes) {
    const body = 'x'.repeat(bytes);
    let left = jobs;
    const caller = async () => {
        while (left > 0) {
            const count = Math.min(batch, left);
            left -= count;
            await queue.addBulk(Array.from({ length: count }, () => ({ name: 'j', data: { body } })));
        }
    };
    const start = process.hrtime.bigint();
    await Promise.all(Array.from({ length: callers }, caller));
    return seconds(start);
}

async function finish(jobs, concurrency) {
    let done = 0;
    let all;
    const finished = new Promise((resolve, reject) => { all = { resolve, reject }; });
    const worker = new Worker('bench', async () => {}, { connection, concurrency, autorun: false });
    worker.on('completed', () => {
        if (++done === jobs) {
            all.resolve();
        }
    });
    worker.on('failed', (job, error) => all.reject(error));
    worker.on('error', (error) => all.reject(error));
    await worker.waitUntilReady();
    const start = process.hrtime.bigint();
    worker.run().catch((error) => all.reject(error));
    await finished;
    const took = seconds(start);
    await worker.close();
    return took;
}

async function main() {
    await queue.waitUntilReady();
    console.log('ready');
    for await (const line of readline.createInterface({ input: process.stdin })) {
        const [word, number, ...rest] = line.trim().split(' ');
        const work = { push, finish }[word];
        console.log(`done ${number} ${await work(...rest.map(Number))}`);
    }
    await queue.close();
}

main().catch((error) => {
    console.error(error.stack);
    process.exit(1);
});
