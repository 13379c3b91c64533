# Tessera in a container; docs/operating/deployment.md says how to run it.
#
#     docker build --tag tessera .
#     docker run --publish 8000:8000 --volume tessera:/data --env SVC_USER=root --env SVC_PASS=… tessera
#
# A test runs these steps in an empty folder (tests/deploy/dockerfile.test.ts).
ARG NODE=24-bookworm-slim

# The package, built out of the sources as for a release.
FROM node:${NODE} AS package
WORKDIR /source
COPY . .
RUN npm ci --workspaces=false --no-audit --no-fund
RUN npm pack --silent

# The package with exactly the versions that were tested: npm-shrinkwrap.json has all but what development needs, and
# "npm ci" wants no other packages named. Nothing is compiled.
FROM node:${NODE} AS installed
WORKDIR /opt/tessera
COPY --from=package /source/tesseradb-*.tgz package.tgz
RUN tar -xzf package.tgz --strip-components=1 && rm package.tgz
RUN npm pkg delete devDependencies overrides workspaces && npm ci --omit=dev --no-audit --no-fund
RUN mkdir -p -m 700 /data

FROM node:${NODE}
COPY --from=installed /opt/tessera /opt/tessera
COPY --from=installed --chown=node:node /data /data
RUN ln -s /opt/tessera/dist/bin/tessera.js /usr/local/bin/tessera
ENV NODE_ENV=production SVC_PATH=/data SVC_BIND=0.0.0.0:8000
USER node
WORKDIR /data
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s --retries=3 CMD ["tessera", "isready"]
ENTRYPOINT ["tessera"]
CMD ["start"]
