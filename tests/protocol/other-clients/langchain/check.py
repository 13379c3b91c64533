"""Keeps documents in LangChain's store, as its users do; `client.test.ts` starts it with the server's address.

Prints a line for each check: `ok NAME`, or `not ok NAME: why`.
"""

import sys
import traceback

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_surrealdb.vectorstores import SurrealDBVectorStore
from surrealdb import Surreal

ADDRESS, USER, PASSWORD = sys.argv[1:4]
CHECKS = []


class Letters(Embeddings):
    """As much of each letter as a text has: no model is needed for texts that are near each other."""

    def embed_query(self, text):
        return [0.1 + text.count(letter) for letter in "abcdefgh"]

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


def check(work):
    CHECKS.append(work)
    return work


def same(got, expected):
    if got != expected:
        raise AssertionError(f"expected {expected!r}, got {got!r}")


@check
def adds_documents_and_gives_them_back_by_id(store):
    texts = {"1": "aaa", "2": "aab", "3": "bbb", "4": "ccc", "5": "hhh"}
    documents = [Document(page_content=text, metadata={"first": text[0]}) for text in texts.values()]
    same(store.add_documents(documents=documents, ids=list(texts)), list(texts))
    same([found.page_content for found in store.get_by_ids(["3", "1"])], ["bbb", "aaa"])


@check
def finds_the_nearest(store):
    same([found.page_content for found in store.similarity_search("aaa", k=2)], ["aaa", "aab"])


@check
def finds_the_nearest_of_those_that_a_filter_admits(store):
    found = store.similarity_search("aaa", k=2, custom_filter={"first": "b"})
    same([document.page_content for document in found], ["bbb"])


@check
def says_how_near_they_are(store):
    [(first, score), (_, other)] = store.similarity_search_with_score("hhh", k=2)
    same((first.page_content, round(score, 3)), ("hhh", 1.0))
    same(other < score, True)


@check
def is_a_retriever_of_different_documents(store):
    retriever = store.as_retriever(search_type="mmr", search_kwargs={"k": 2, "lambda_mult": 0.5})
    same(retriever.invoke("aaa")[0].page_content, "aaa")


@check
def deletes_documents(store):
    store.delete(ids=["1"])
    same([found.page_content for found in store.similarity_search("aaa", k=1)], ["aab"])


with Surreal(f"ws://{ADDRESS}/rpc") as connection:
    connection.signin({"username": USER, "password": PASSWORD})
    connection.use("test", "langchain")
    kept = SurrealDBVectorStore(Letters(), connection)
    for work in CHECKS:
        try:
            work(kept)
            print(f"ok {work.__name__}")
        except Exception as error:  # every check is told of
            traceback.print_exc()
            print(f"not ok {work.__name__}: {error}".replace("\n", " "))
