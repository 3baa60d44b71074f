// The one Prisma client of the process, for the database that HOOK_STORE names.

import { readFileSync } from "node:fs";
import process from "node:process";

async function open(store) {
  if (/^postgres(ql)?:\/\//.test(store)) {
    const { PrismaPg } = await import("@prisma/adapter-pg");
    const generated = await import("./node_modules/.prisma/postgresql/index.js");
    return { generated: generated.default, adapter: new PrismaPg({ connectionString: store }) };
  }
  const { PrismaBetterSqlite3 } = await import("@prisma/adapter-better-sqlite3");
  const generated = await import("./node_modules/.prisma/sqlite/index.js");
  return { generated: generated.default, adapter: new PrismaBetterSqlite3({ url: store }) };
}

const store = process.env.HOOK_STORE;
if (!store) throw new Error("HOOK_STORE is not set; give an SQLite file or a postgres:// URL");
const { generated, adapter } = await open(store);

/** The generated types and errors. */
export const { Prisma } = generated;

export const prisma = new generated.PrismaClient({ adapter });

await prisma.$executeRawUnsafe(readFileSync(new URL("table.sql", import.meta.url), "utf8"));
